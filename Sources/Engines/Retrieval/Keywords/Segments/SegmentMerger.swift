/// Merges segments without cutting texts into words again: merges vocabularies in order and moves postings to the new
/// rows.
///
/// Time grows with the text (copied), the postings, and the vocabularies times the number of segments.
struct SegmentMerger {
    /// A segment with its dead rows.
    typealias Part = (segment: KeywordSegment, dead: Bitmap?)

    private struct Row {
        var ordinal: Int
        var part: Int
        var row: Int
    }

    private let parts: [Part]
    private var writer = SegmentWriter()
    /// The live rows, by ordinal.
    private var rows: [Row] = []
    /// For each part, the new row of each of its rows; -1 for dead rows.
    private var newRows: [[Int32]] = []

    /// Merges the documents of all parts by ordinal. A document must be live in one part at most.
    ///
    /// - Parameter renumbers: Whether ordinals become 0, 1, 2, …
    static func merged(_ parts: [Part], renumbers: Bool = false) throws(RetrievalError) -> KeywordSegment {
        var merger = SegmentMerger(parts: parts)
        merger.sortRows()
        merger.placeRows(renumbers: renumbers)
        merger.mergeVocabularies()
        return unsafe try merger.writer.segment { memory in
            var position = 0
            for row in merger.rows {
                let segment = parts[row.part].segment
                let range = segment.textRange(row.row)
                unsafe UnsafeMutableRawBufferPointer(rebasing: memory[position..<position + range.count]).copyMemory(
                    from: UnsafeRawBufferPointer(start: segment.text + range.lowerBound, count: range.count))
                position += range.count
            }
        }
    }

    /// Writes the documents of all segments, one segment after another, as a segment whose ordinals are 0, 1, 2, …. The
    /// texts are copied from segment to file, so memory does not grow with them.
    static func write(_ segments: [KeywordSegment], to file: DurableFile) throws(RetrievalError) {
        var merger = SegmentMerger(parts: segments.map { ($0, nil) })
        merger.appendRows()
        merger.placeRows(renumbers: true)
        merger.mergeVocabularies()
        try merger.writer.write(to: file) { file throws(RetrievalError) in
            // Every row of every segment, in order.
            for segment in segments {
                unsafe try file.write(UnsafeRawBufferPointer(start: segment.text, count: segment.textBytes))
            }
        }
    }

    private init(parts: [Part]) { self.parts = parts }

    private mutating func sortRows() {
        appendRows()
        rows.sort { $0.ordinal < $1.ordinal }
    }

    private mutating func appendRows() {
        for (number, part) in parts.enumerated() {
            newRows.append(Array(repeating: -1, count: part.segment.rows))
            for row in 0..<part.segment.rows where part.dead?[row] != true {
                rows.append(Row(ordinal: part.segment.ordinal(row), part: number, row: row))
            }
        }
    }

    private mutating func placeRows(renumbers: Bool) {
        for (new, row) in rows.enumerated() {
            newRows[row.part][row.row] = Int32(new)
            let segment = parts[row.part].segment
            unsafe writer.appendRow(
                ordinal: renumbers ? new : row.ordinal, titleLength: Int(segment.titleLengths[row.row]),
                textBytes: segment.textRange(row.row).count, words: segment.wordCount(row.row))
        }
    }

    private mutating func mergeVocabularies() {
        var heads = parts.map { (next: 0, key: $0.segment.vocabulary.count > 0 ? $0.segment.vocabulary.key(0) : 0) }
        var found: [UInt64] = []
        while let first = leastHead(heads) {
            let vocabulary = parts[first].segment.vocabulary
            let string = unsafe vocabulary[heads[first].next]
            let key = heads[first].key
            found.removeAll(keepingCapacity: true)
            var isAscending = true
            for number in parts.indices {
                let segment = parts[number].segment
                let entry = heads[number].next
                guard entry < segment.vocabulary.count, heads[number].key == key,
                    unsafe StringTable.compare(segment.vocabulary[entry], string) == 0
                else { continue }
                segment.forEachPosting(of: entry) { row, mark in
                    let new = newRows[number][row]
                    guard new >= 0 else { return }
                    let posting = UInt64(new) << 8 | UInt64(mark)
                    if let last = found.last, last > posting { isAscending = false }
                    found.append(posting)
                }
                heads[number].next += 1
                if heads[number].next < segment.vocabulary.count {
                    heads[number].key = segment.vocabulary.key(heads[number].next)
                }
            }
            guard !found.isEmpty else { continue }
            if !isAscending { found.sort() }
            unsafe writer.vocabulary.append(string)
            var previous = 0
            for posting in found {
                Varint.append(Int(posting >> 8) - previous, to: &writer.postings)
                writer.postings.append(UInt8(truncatingIfNeeded: posting))
                previous = Int(posting >> 8)
            }
            writer.endPostings()
        }
    }

    /// The part whose next entry comes first; nil when all are at their end.
    private func leastHead(_ heads: [(next: Int, key: UInt64)]) -> Int? {
        var least: Int?
        for number in parts.indices where heads[number].next < parts[number].segment.vocabulary.count {
            guard let best = least else {
                least = number
                continue
            }
            if heads[number].key > heads[best].key { continue }
            if heads[number].key == heads[best].key,
                unsafe StringTable.compare(
                    parts[number].segment.vocabulary[heads[number].next],
                    parts[best].segment.vocabulary[heads[best].next]) >= 0
            {
                continue
            }
            least = number
        }
        return least
    }
}
