/// The folded texts of all documents, searchable by pattern and by stem.
///
/// A pattern search matches what SQL's `LIKE '%pattern%'` would, folded over all of Unicode on both sides, without
/// special characters.
///
/// A value: a copy is a snapshot that shares the segments. Every change builds a small segment of its documents and
/// marks their older rows as dead. Segments of about one size are merged when there are ``mergeWidth`` of them, and a
/// segment with many dead rows is rewritten. So each document is written about log₈ n times, and a search reads at most
/// about 7 · log₈ n segments.
struct KeywordIndex: Sendable {
    /// Segments of one size class that are merged together. Each class has this many times the bytes of the class
    /// below.
    static let mergeWidth = 8
    /// The text of the lowest size class, in bytes.
    static let leastClassBytes = 4096
    /// The most text that a segment is built from, unless one document has more. Merging makes larger segments.
    static let buildBytes = 64 << 20

    /// A segment with its dead rows.
    struct Part: Sendable {
        /// Unique for the index's life, for ``RowLocations``.
        var number: Int
        var segment: KeywordSegment
        /// Dead rows; nil when there are none.
        var dead: Bitmap?
        /// Bytes of the live text.
        var liveBytes: Int
        var liveRows: Int
    }

    private(set) var parts: [Part] = []
    private var locations = RowLocations()
    private var nextNumber = 0
    /// The number of documents.
    private(set) var count = 0
    /// Bytes of the live texts.
    private(set) var liveBytes = 0
    /// Words of the live texts.
    private(set) var liveWords = 0

    /// Creates an empty index.
    init() {}

    /// Creates an index of a segment's documents, whose ordinals must be 0, 1, 2, …
    ///
    /// - Throws: ``RetrievalError/Code/indexFile`` when they are not.
    init(segment: KeywordSegment) throws(RetrievalError) {
        // Ordinals ascend, so the last one is enough to check.
        guard segment.rows == 0 || segment.ordinal(segment.rows - 1) == segment.rows - 1 else {
            throw RetrievalError(.indexFile, "not a usable keyword segment: its ordinals have gaps")
        }
        if segment.rows > 0 { append(segment) }
    }

    /// Bytes of memory or of mapped files: vocabulary, postings and dead text included.
    var bytes: Int { parts.reduce(0) { $0 + $1.segment.region.count } }

    /// Removes documents, then sets others, each to its folded title and text. When an ordinal appears twice, the later
    /// document counts.
    ///
    /// Time grows with the texts that are set. Merging costs, over many changes, their number times log₈ of the number
    /// of documents.
    mutating func apply(set documents: [KeywordDocument], removed: [Int] = []) throws(RetrievalError) {
        var latest: [Int: Int] = [:]
        for (index, document) in documents.enumerated() { latest[document.ordinal] = index }
        let distinct = documents.enumerated().filter { latest[$0.element.ordinal] == $0.offset }.map(\.element)
        // Built before anything changes, so that a failure changes nothing.
        var fresh: [KeywordSegment] = []
        for batch in Self.batches(of: distinct) { fresh.append(try SegmentBuilder.segment(of: batch)) }
        for ordinal in removed { remove(ordinal) }
        for document in distinct { remove(document.ordinal) }
        parts.removeAll { $0.liveRows == 0 }
        for segment in fresh { append(segment) }
        try merge()
    }

    /// Returns all documents in one segment, by ordinal, renumbered 0, 1, 2, …; nil when there are none.
    func merged() throws(RetrievalError) -> KeywordSegment? {
        guard count > 0 else { return nil }
        return try SegmentMerger.merged(parts.map { ($0.segment, $0.dead) }, renumbers: true)
    }

    /// Splits documents into runs with the text of one segment each.
    private static func batches(of documents: [KeywordDocument]) -> [[KeywordDocument]] {
        var batches: [[KeywordDocument]] = []
        var start = 0
        var bytes = 0
        for (index, document) in documents.enumerated() {
            let size = document.title.count + document.text.count + 2
            if index > start, bytes + size > buildBytes {
                batches.append(Array(documents[start..<index]))
                start = index
                bytes = 0
            }
            bytes += size
        }
        if start < documents.count { batches.append(Array(documents[start...])) }
        return batches
    }

    private mutating func remove(_ ordinal: Int) {
        guard let location = locations[ordinal], let index = parts.firstIndex(where: { $0.number == location.part })
        else { return }
        locations[ordinal] = nil
        let segment = parts[index].segment
        let size = segment.textRange(location.row).count
        if parts[index].dead == nil { parts[index].dead = Bitmap(capacity: segment.rows) }
        parts[index].dead?[location.row] = true
        parts[index].liveRows -= 1
        parts[index].liveBytes -= size
        count -= 1
        liveBytes -= size
        liveWords -= segment.wordCount(location.row)
    }

    private mutating func append(_ segment: KeywordSegment) {
        place(segment)
        count += segment.rows
        liveBytes += segment.textBytes
        liveWords += segment.words
    }

    /// Adds a part whose documents are already counted.
    private mutating func place(_ segment: KeywordSegment) {
        let number = nextNumber
        nextNumber += 1
        if segment.isNumbered, locations.isEmpty {
            locations = RowLocations(numbered: number, rows: segment.rows)
        } else {
            for row in 0..<segment.rows { locations[segment.ordinal(row)] = .init(part: number, row: row) }
        }
        parts.append(
            Part(
                number: number, segment: segment, dead: nil, liveBytes: segment.textBytes, liveRows: segment.rows))
    }

    // MARK: Merging

    private mutating func merge() throws(RetrievalError) {
        while let chosen = partsToMerge() {
            let merged = try SegmentMerger.merged(chosen.map { (parts[$0].segment, parts[$0].dead) })
            for index in chosen.sorted(by: >) { parts.remove(at: index) }
            place(merged)
        }
    }

    /// Returns a part that is more than a quarter dead, or the parts of a full size class; nil when there is nothing to
    /// merge.
    private func partsToMerge() -> [Int]? {
        if let wasteful = parts.firstIndex(where: { $0.liveBytes * 4 < $0.segment.textBytes * 3 }) { return [wasteful] }
        let classes = Dictionary(grouping: parts.indices) { index in
            var sizeClass = 0
            var most = Self.leastClassBytes
            while parts[index].liveBytes >= most {
                sizeClass += 1
                most *= Self.mergeWidth
            }
            return sizeClass
        }
        return classes.filter { $0.value.count >= Self.mergeWidth }.min { $0.key < $1.key }?.value
    }
}

extension KeywordIndex {
    /// The first bytes of a document's folded title and text, whole runs; empty for an unknown document.
    func text(of ordinal: Int, atMost limit: Int) -> [UInt8] {
        guard let location = locations[ordinal], let part = parts.first(where: { $0.number == location.part }) else {
            return []
        }
        let range = part.segment.textRange(location.row)
        let bytes = unsafe UnsafeBufferPointer(
            start: part.segment.text + range.lowerBound, count: min(range.count, limit))
        var text = unsafe Array(bytes)
        if range.count > limit { while let last = text.last, WordBytes.contains(last) { text.removeLast() } }
        return text
    }

    /// The rows of some documents, ascending, by the index of their part.
    func rows(of ordinals: [Int]) -> [[Int]] {
        let places = Dictionary(uniqueKeysWithValues: parts.enumerated().map { ($0.element.number, $0.offset) })
        var rows = [[Int]](repeating: [], count: parts.count)
        for ordinal in ordinals {
            guard let location = locations[ordinal], let place = places[location.part] else { continue }
            rows[place].append(location.row)
        }
        return rows.map { $0.sorted() }
    }

    /// The occurrences of a pattern in one document.
    struct Match: Sendable, Equatable {
        var ordinal: Int
        /// 4 for each occurrence that begins a word and 1 for each inside one, at most ``TermRows/maxQuarters``.
        var quarters: Int
        var isInTitle: Bool
    }

    /// Returns the documents that hold a folded pattern, by ordinal.
    ///
    /// - Parameter forced: The plan to use where it fits the pattern. nil uses the cheapest by estimate.
    func matches(of pattern: [UInt8], forcing forced: KeywordPlan? = nil) -> [Match] {
        var matches: [Match] = []
        for part in parts {
            part.segment.search(pattern, without: part.dead, forcing: forced).rows.forEach { row, mark in
                matches.append(
                    Match(
                        ordinal: part.segment.ordinal(row), quarters: Int(mark & ~KeywordSegment.titleFlag),
                        isInTitle: mark & KeywordSegment.titleFlag != 0))
            }
        }
        return matches.sorted { $0.ordinal < $1.ordinal }
    }
}
