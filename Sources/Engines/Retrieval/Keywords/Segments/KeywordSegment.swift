/// The folded text of some documents with an inverted index over it, in one flat immutable region.
///
/// The text is cut into runs of word bytes (``WordBytes``). Each distinct run is an entry of the vocabulary with its
/// postings. A posting describes a row that holds the entry: the distance from the row before as a varint, then one
/// byte. The byte has the term frequency, at most ``maxTermFrequency``, and ``titleFlag``. Stems point to their
/// entries, so postings are stored once for patterns and for words.
///
/// The region is position-independent, in the machine's byte order. It begins with 32 numbers of 64 bits: magic,
/// version, bytes, rows, entries, stems, then offset and bytes of each ``Section``. The sections follow, each at a
/// multiple of 8.
///
/// SAFETY: `@unchecked Sendable` rests on the region's immutability. The pointers stay valid because the segment keeps
/// the region and its tables. Every offset is checked either when the segment is opened, in memory that no other
/// process can change, or where it is read.
@safe final class KeywordSegment: @unchecked Sendable {
    static let magic = UInt64(bigEndian: 0x53454C_4B_45595754)
    static let version: UInt64 = 1
    static let headerBytes = 256
    /// The largest term frequency that a posting counts.
    static let maxTermFrequency = 127
    /// Set in a posting's last byte when the entry also occurs in the title.
    static let titleFlag: UInt8 = 0x80

    enum Section: Int, CaseIterable {
        /// UInt64 × (rows + 1): where each row's text starts, and where the last one ends.
        case rowStarts
        /// UInt64 × (entries + 1), into ``vocabulary``.
        case entryOffsets
        /// UInt64 × (entries + 1), into ``postings``.
        case postingOffsets
        /// UInt64 × (stems + 1), into ``stems``.
        case stemOffsets
        /// UInt64 × (stems + 1), into ``stemLists``.
        case stemListOffsets
        /// UInt32 × rows, ascending.
        case ordinals
        /// UInt32 × rows: bytes of the title.
        case titleLengths
        /// UInt32 × rows: words of title and text, as BM25 counts them.
        case wordCounts
        /// The runs, a ``StringTable``.
        case vocabulary
        /// The stems, a ``StringTable``.
        case stems
        /// The postings of each entry.
        case postings
        /// For each stem: distance to the next entry and how often the entry has the stem, both varints.
        case stemLists
        /// For each row: title, 0x01, text, 0x00.
        case text
    }

    let region: Region
    /// The tables that ``SegmentLayout/tables`` describes.
    private let tables: Region
    /// The number of rows, one for each document.
    let rows: Int
    /// Words of all rows.
    let words: Int
    /// Words, and bytes of the text, of the shortest row.
    let least: (words: Int, bytes: Int)
    let lengths: RowLengths
    /// Whether row 0 is document 0, row 1 document 1, …, as in an index file.
    let isNumbered: Bool
    /// The entries that a search need not read again.
    let frequent = FrequentEntries()
    let trigrams = VocabularyTrigrams()
    let vocabulary: StringTable
    let stems: StringTable
    /// Bytes of the text section.
    let textBytes: Int
    let starts: UnsafePointer<UInt64>
    let ordinals: UnsafePointer<UInt32>
    let titleLengths: UnsafePointer<UInt32>
    let wordCounts: UnsafePointer<UInt32>
    let text: UnsafePointer<UInt8>
    private let postingOffsets: UnsafePointer<UInt64>
    private let postingBytes: UnsafePointer<UInt8>
    private let stemListOffsets: UnsafePointer<UInt64>
    private let stemLists: UnsafePointer<UInt8>

    /// Opens a region. Time grows with rows, entries and stems; text and postings are not read.
    ///
    /// - Throws: ``RetrievalError/Code/indexFile`` when the region is not a complete segment of this version.
    init(region: Region) throws(RetrievalError) {
        let layout = try SegmentLayout(checking: region)
        self.region = region
        tables = layout.tables
        rows = layout.rows
        words = layout.words
        least = layout.least
        textBytes = layout.bytes(of: .text)
        guard let start = unsafe region.bytes.baseAddress else {
            throw RetrievalError(.indexFile, "not a usable keyword segment: it is empty")
        }
        func address<Value>(_ section: Section, as _: Value.Type) -> UnsafePointer<Value> {
            let base = unsafe section.rawValue < Section.vocabulary.rawValue ? layout.base : start
            return unsafe base.advanced(by: layout.offset(of: section)).assumingMemoryBound(to: Value.self)
        }
        unsafe starts = address(.rowStarts, as: UInt64.self)
        unsafe ordinals = address(.ordinals, as: UInt32.self)
        unsafe titleLengths = address(.titleLengths, as: UInt32.self)
        unsafe wordCounts = address(.wordCounts, as: UInt32.self)
        unsafe text = address(.text, as: UInt8.self)
        unsafe postingOffsets = address(.postingOffsets, as: UInt64.self)
        unsafe postingBytes = address(.postings, as: UInt8.self)
        unsafe stemListOffsets = address(.stemListOffsets, as: UInt64.self)
        unsafe stemLists = address(.stemLists, as: UInt8.self)
        unsafe vocabulary = StringTable(
            bytes: address(.vocabulary, as: UInt8.self), offsets: address(.entryOffsets, as: UInt64.self),
            count: layout.entries, byteCount: layout.bytes(of: .vocabulary))
        unsafe stems = StringTable(
            bytes: address(.stems, as: UInt8.self), offsets: address(.stemOffsets, as: UInt64.self),
            count: layout.stems, byteCount: layout.bytes(of: .stems))
        lengths = unsafe RowLengths(rows: rows, wordCounts: wordCounts, starts: starts)
        // Ordinals ascend, so the last one is enough.
        isNumbered = unsafe rows == 0 || Int(ordinals[rows - 1]) == rows - 1
    }

    // MARK: Rows

    /// The document of a row.
    func ordinal(_ row: Int) -> Int {
        precondition(row >= 0 && row < rows)
        return unsafe Int(ordinals[row])
    }

    /// The range of a row's text: title, separator, text, separator.
    func textRange(_ row: Int) -> Range<Int> {
        precondition(row >= 0 && row < rows)
        return unsafe Int(starts[row])..<Int(starts[row + 1])
    }

    /// The number of words in a row.
    func wordCount(_ row: Int) -> Int {
        precondition(row >= 0 && row < rows)
        return unsafe Int(wordCounts[row])
    }

    // MARK: Postings

    /// Bytes of an entry's postings: at least two for each row that holds it.
    func postingBytes(of entry: Int) -> Int {
        precondition(entry >= 0 && entry < vocabulary.count)
        return unsafe Int(postingOffsets[entry + 1] - postingOffsets[entry])
    }

    /// Calls the body with each row that holds an entry, ascending, and its term frequency with ``titleFlag``.
    ///
    /// Stops at a row that the segment does not have, which only a damaged file can name.
    @inline(__always)
    func forEachPosting(of entry: Int, _ body: (_ row: Int, _ mark: UInt8) -> Void) {
        precondition(entry >= 0 && entry < vocabulary.count)
        var position = unsafe postingBytes + Int(postingOffsets[entry])
        let end = unsafe postingBytes + Int(postingOffsets[entry + 1])
        var row = 0
        while unsafe position < end {
            guard let distance = unsafe Varint.read(&position, end), unsafe position < end else { return }
            row += distance
            guard row < rows else { return }
            unsafe body(row, position.pointee)
            unsafe position += 1
        }
    }

    /// Returns the entries that have a stem, and how often each has it; empty for an unknown stem.
    func entries(withStem stem: [UInt8]) -> [(entry: Int, factor: Int)] {
        guard let index = stems.index(of: stem) else { return [] }
        var position = unsafe stemLists + Int(stemListOffsets[index])
        let end = unsafe stemLists + Int(stemListOffsets[index + 1])
        var entries: [(entry: Int, factor: Int)] = []
        var entry = 0
        while let distance = unsafe Varint.read(&position, end), let factor = unsafe Varint.read(&position, end) {
            entry += distance
            guard entry < vocabulary.count else { break }
            entries.append((entry, factor))
        }
        return entries
    }
}

/// Encodes numbers in seven bits a byte, the lowest first, with the upper bit set in all bytes but the last (LEB128).
enum Varint {
    /// Reads a number below 2³⁵. Returns nil at the end, and for a longer number.
    @inline(__always)
    static func read(_ position: inout UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> Int? {
        guard unsafe position < end else { return nil }
        var byte = unsafe position.pointee
        unsafe position += 1
        if byte < 0x80 { return Int(byte) }
        var value = Int(byte & 0x7F)
        var shift = 7
        while shift < 35 {
            guard unsafe position < end else { return nil }
            byte = unsafe position.pointee
            unsafe position += 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    /// Appends a number, which must not be negative.
    @inline(__always)
    static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = UInt(number)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
