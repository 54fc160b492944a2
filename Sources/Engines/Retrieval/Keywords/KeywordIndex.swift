/// The folded texts of all documents, searchable by pattern — what SQL's `LIKE '%pattern%'` would match, folded over all
/// of Unicode on both sides, with no character having a special meaning — and by stem.
///
/// A value: a copy is a snapshot that shares the segments. Every change makes a small segment of its documents and marks
/// their older rows as dead; segments of about one size are merged when there are ``mergeWidth`` of them, and one whose
/// dead rows are many is written anew. So each document is written about log₈ n times, and there are at most about
/// 7 · log₈ n segments to search.
struct KeywordIndex: Sendable {
    /// Segments of one size class that are merged together; a class has this many times the bytes of the one below.
    static let mergeWidth = 8
    /// The text of the lowest size class, in bytes.
    static let leastClassBytes = 4096
    /// Text that one segment is made of at most, unless one document has more; larger ones come from merging.
    static let buildBytes = 64 << 20

    /// A segment with what no longer counts in it.
    struct Part: Sendable {
        /// Its own for the index's life, for ``RowLocations``.
        var number: Int
        var segment: KeywordSegment
        /// Rows that no longer count; nil when all do.
        var dead: Bitmap?
        /// Bytes of the text that counts.
        var liveBytes: Int
        var liveRows: Int
    }

    private(set) var parts: [Part] = []
    private var locations = RowLocations()
    private var nextNumber = 0
    /// Documents.
    private(set) var count = 0
    /// Bytes of the texts that count.
    private(set) var liveBytes = 0
    /// Words of the texts that count.
    private(set) var liveWords = 0

    /// Creates an empty index.
    init() {}

    /// The documents of a segment, whose ordinals must be 0, 1, 2, …
    ///
    /// - Throws: ``RetrievalError/Code/indexFile`` when they are not.
    init(segment: KeywordSegment) throws(RetrievalError) {
        // Ordinals ascend, so the last one tells.
        guard segment.rows == 0 || segment.ordinal(segment.rows - 1) == segment.rows - 1 else {
            throw RetrievalError(.indexFile, "not a usable keyword segment: its ordinals have gaps")
        }
        if segment.rows > 0 { append(segment) }
    }

    /// Bytes of memory, or of mapped files: text that no longer counts, vocabulary and postings included.
    var bytes: Int { parts.reduce(0) { $0 + $1.segment.region.count } }

    /// Removes documents and then sets others, each to its folded title and text; of two for one ordinal the later counts.
    ///
    /// Time grows with the texts that are set, and for merging, over many changes, with their number times log₈ of the
    /// number of documents.
    mutating func apply(set documents: [KeywordDocument], removed: [Int] = []) throws(RetrievalError) {
        var latest: [Int: Int] = [:]
        for (index, document) in documents.enumerated() { latest[document.ordinal] = index }
        let distinct = documents.enumerated().filter { latest[$0.element.ordinal] == $0.offset }.map(\.element)
        // Made before anything is changed, so that a failure changes nothing.
        var fresh: [KeywordSegment] = []
        for batch in Self.batches(of: distinct) { fresh.append(try SegmentBuilder.segment(of: batch)) }
        for ordinal in removed { remove(ordinal) }
        for document in distinct { remove(document.ordinal) }
        parts.removeAll { $0.liveRows == 0 }
        for segment in fresh { append(segment) }
        try merge()
    }

    /// All documents in one segment, by ordinal, with the ordinals 0, 1, 2, …; nil when there are none.
    func merged() throws(RetrievalError) -> KeywordSegment? {
        guard count > 0 else { return nil }
        return try SegmentMerger.merged(parts.map { ($0.segment, $0.dead) }, renumbers: true)
    }

    /// Documents in runs whose text makes up one segment.
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

    /// Adds a part whose documents are counted already.
    private mutating func place(_ segment: KeywordSegment) {
        let number = nextNumber
        nextNumber += 1
        for row in 0..<segment.rows { locations[segment.ordinal(row)] = .init(part: number, row: row) }
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

    /// One part of which more than a quarter is dead, or parts of one size class; nil when all is well.
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
    /// What a pattern has in one document.
    struct Match: Sendable, Equatable {
        var ordinal: Int
        /// 4 for each occurrence that begins a word and 1 for each inside one, at most ``TermRows/maxQuarters``.
        var quarters: Int
        var isInTitle: Bool
    }

    /// The documents that hold a folded pattern, by ordinal.
    ///
    /// - Parameter forced: A plan to follow where it fits the pattern; the cheapest by estimate when nil.
    func matches(of pattern: [UInt8], forcing forced: KeywordPlan? = nil) -> [Match] {
        var matches: [Match] = []
        for part in parts {
            var rows = part.segment.search(pattern, forcing: forced).rows
            if let dead = part.dead { rows.remove(dead) }
            rows.forEach { row, mark in
                matches.append(
                    Match(
                        ordinal: part.segment.ordinal(row), quarters: Int(mark & ~KeywordSegment.titleFlag),
                        isInTitle: mark & KeywordSegment.titleFlag != 0))
            }
        }
        return matches.sorted { $0.ordinal < $1.ordinal }
    }
}
