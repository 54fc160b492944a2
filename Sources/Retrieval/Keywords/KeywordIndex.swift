/// Substring search over the folded texts of all documents: what SQL's `LIKE '%term%'` would match, folded over all of
/// Unicode on both sides, with no character having a special meaning.
///
/// A value: a copy is a snapshot that shares the arenas. A changed document is appended anew; its old text stays until
/// ``compacted()`` and no longer counts, because ``rowOfOrdinal`` points elsewhere.
struct KeywordIndex: Sendable {
    /// Bytes of an arena, unless one document needs more.
    static let arenaBytes = 4 << 20
    /// Occurrences of a term in a document beyond this count no further.
    static let maxOccurrences = 16

    /// A document's text in an arena.
    private struct Row: Sendable {
        var ordinal: Int32
        var start: Int32
        var titleEnd: Int32
        var end: Int32
    }

    /// An arena with the rows in it, by place.
    private struct Segment: Sendable {
        var arena: TextArena
        var used: Int
        var firstRow: Int
    }

    private var segments: [Segment] = []
    private var rows: [Row] = []
    private var rowOfOrdinal: [Int32] = []
    private(set) var count = 0
    /// Bytes of the texts that count.
    private(set) var liveBytes = 0
    /// Bytes of all texts that are written.
    private(set) var bytes = 0

    /// Sets the text of a document: its folded title and text.
    mutating func set(title: [UInt8], text: [UInt8], at ordinal: Int) {
        remove(at: ordinal)
        let size = title.count + text.count + 2
        if segments.last.map({ $0.used + size > $0.arena.capacity }) ?? true {
            segments.append(
                Segment(arena: TextArena(capacity: max(Self.arenaBytes, size)), used: 0, firstRow: rows.count))
        }
        let last = segments.count - 1
        let start = segments[last].used
        segments[last].arena.write(
            title + [TextFolding.titleEnd] + text + [TextFolding.documentEnd], at: start)
        segments[last].used += size
        rows.append(
            Row(
                ordinal: Int32(ordinal), start: Int32(start), titleEnd: Int32(start + title.count),
                end: Int32(start + size)))
        while rowOfOrdinal.count <= ordinal { rowOfOrdinal.append(-1) }
        rowOfOrdinal[ordinal] = Int32(rows.count - 1)
        count += 1
        bytes += size
        liveBytes += size
    }

    /// Forgets the text of a document.
    mutating func remove(at ordinal: Int) {
        guard ordinal < rowOfOrdinal.count, rowOfOrdinal[ordinal] >= 0 else { return }
        let row = rows[Int(rowOfOrdinal[ordinal])]
        liveBytes -= Int(row.end - row.start)
        rowOfOrdinal[ordinal] = -1
        count -= 1
    }

    /// Whether texts that no longer count are worth getting rid of.
    var wantsCompaction: Bool { bytes - liveBytes > max(bytes / 4, Self.arenaBytes) }

    /// The same texts without those that no longer count.
    func compacted() -> KeywordIndex {
        var fresh = KeywordIndex()
        for (number, segment) in segments.enumerated() {
            let end = number + 1 < segments.count ? segments[number + 1].firstRow : rows.count
            for index in segment.firstRow..<end where rowOfOrdinal[Int(rows[index].ordinal)] == Int32(index) {
                let row = rows[index]
                let bytes = segment.arena.bytes(Int(row.start)..<Int(row.end))
                let title = Int(row.titleEnd - row.start)
                fresh.set(
                    title: Array(bytes[..<title]), text: Array(bytes[(title + 1)..<(bytes.count - 1)]),
                    at: Int(row.ordinal))
            }
        }
        return fresh
    }

    // MARK: Search

    /// What the scan for one term found in one document.
    struct Match: Sendable, Equatable {
        var ordinal: Int
        /// Up to ``maxOccurrences``.
        var occurrences: Int
        /// Those of them that begin a word.
        var wordStarts: Int
        var isInTitle: Bool
    }

    /// The documents that hold a term, in the order of their rows.
    func matches(of term: [UInt8]) -> [Match] {
        guard !term.isEmpty else { return [] }
        var matches: [Match] = []
        for (number, segment) in segments.enumerated() {
            let end = number + 1 < segments.count ? segments[number + 1].firstRow : rows.count
            var row = segment.firstRow
            segment.arena.forEachMatch(of: term, below: segment.used) { place, beginsWord in
                row = self.row(holding: place, from: row, below: end)
                let found = rows[row]
                let ordinal = Int(found.ordinal)
                guard rowOfOrdinal[ordinal] == Int32(row) else { return Int(found.end) }
                if let last = matches.indices.last, matches[last].ordinal == ordinal {
                    matches[last].occurrences += 1
                    if beginsWord { matches[last].wordStarts += 1 }
                    if matches[last].occurrences == Self.maxOccurrences { return Int(found.end) }
                } else {
                    matches.append(
                        Match(
                            ordinal: ordinal, occurrences: 1, wordStarts: beginsWord ? 1 : 0,
                            isInTitle: place < Int(found.titleEnd)))
                }
                return place + term.count
            }
        }
        return matches
    }

    /// Folded bytes of a document.
    func length(at ordinal: Int) -> Int {
        guard ordinal < rowOfOrdinal.count, rowOfOrdinal[ordinal] >= 0 else { return 0 }
        let row = rows[Int(rowOfOrdinal[ordinal])]
        return Int(row.end - row.start)
    }

    /// The row that holds a place: rows are sorted by place, and matches come in order, so it gallops from the last one.
    private func row(holding place: Int, from start: Int, below end: Int) -> Int {
        var low = start
        var step = 1
        while low + step < end, Int(rows[low + step].start) <= place {
            low += step
            step *= 2
        }
        var high = min(low + step, end)
        while high - low > 1 {
            let middle = (low + high) / 2
            if Int(rows[middle].start) <= place { low = middle } else { high = middle }
        }
        return low
    }
}
