/// Locates the sections of a segment in its region and checks every offset. A checked segment cannot lead a search out
/// of the region, whatever else is wrong with it.
///
/// SAFETY: Code that uses ``base`` must keep ``tables`` alive.
@safe struct SegmentLayout {
    /// The sections up to the vocabulary: every number that is used as an offset. For a mapped region they are a copy,
    /// so that no other process can change checked values.
    let tables: Region
    let base: UnsafeRawPointer
    let rows: Int
    let entries: Int
    let stems: Int
    /// Words of all rows.
    private(set) var words = 0
    /// Words, and bytes of the text, of the shortest row; 0 without rows.
    private(set) var least = (words: 0, bytes: 0)
    private var places: [Range<Int>] = []

    /// Reads and checks a region's header and tables. Time grows with rows, entries and stems.
    ///
    /// - Throws: ``RetrievalError/Code/indexFile``.
    init(checking region: Region) throws(RetrievalError) {
        guard let header = region.owned(0..<KeywordSegment.headerBytes) else { throw Self.damage("it is too short") }
        let numbers = unsafe Array(header.values(of: UInt64.self))
        func number(_ index: Int) -> UInt64 { numbers[index] }
        guard number(0) == KeywordSegment.magic else { throw Self.damage("it is not a segment") }
        guard number(1) == KeywordSegment.version else { throw Self.damage("it has another version") }
        guard number(2) >= UInt64(KeywordSegment.headerBytes), number(2) <= UInt64(region.count) else {
            throw Self.damage("it is cut off")
        }
        let total = Int(number(2))
        guard (3...5).allSatisfy({ number($0) < UInt64(total) }) else { throw Self.damage("its counts are wrong") }
        rows = Int(number(3))
        entries = Int(number(4))
        stems = Int(number(5))

        var position = KeywordSegment.headerBytes
        for section in KeywordSegment.Section.allCases {
            let (offset, length) = (number(6 + 2 * section.rawValue), number(7 + 2 * section.rawValue))
            guard offset % 8 == 0, offset >= UInt64(position), offset <= UInt64(total), length <= UInt64(total) - offset
            else { throw Self.damage("its sections are wrong") }
            if let items = Self.size(of: section, rows: rows, entries: entries, stems: stems),
                length != UInt64(items)
            {
                throw Self.damage("its tables are wrong")
            }
            places.append(Int(offset)..<Int(offset + length))
            position = Int(offset + length)
        }
        guard let tables = region.owned(0..<places[KeywordSegment.Section.vocabulary.rawValue].lowerBound),
            let base = unsafe tables.bytes.baseAddress, UInt(bitPattern: base) % 8 == 0
        else { throw Self.damage("it is not aligned") }
        self.tables = tables
        unsafe self.base = base

        try checkAscending(.rowStarts, rows, end: bytes(of: .text), step: 2)
        try checkAscending(.entryOffsets, entries, end: bytes(of: .vocabulary), step: 1)
        try checkAscending(.postingOffsets, entries, end: bytes(of: .postings), step: 0)
        try checkAscending(.stemOffsets, stems, end: bytes(of: .stems), step: 1)
        try checkAscending(.stemListOffsets, stems, end: bytes(of: .stemLists), step: 0)
        try checkRows()
    }

    /// The offset where a section begins.
    func offset(of section: KeywordSegment.Section) -> Int { places[section.rawValue].lowerBound }
    func bytes(of section: KeywordSegment.Section) -> Int { places[section.rawValue].count }

    /// The required size of a table in bytes; nil for sections of bytes.
    static func size(of section: KeywordSegment.Section, rows: Int, entries: Int, stems: Int) -> Int? {
        switch section {
        case .rowStarts: 8 * (rows + 1)
        case .entryOffsets, .postingOffsets: 8 * (entries + 1)
        case .stemOffsets, .stemListOffsets: 8 * (stems + 1)
        case .ordinals, .titleLengths, .wordCounts: 4 * rows
        case .vocabulary, .stems, .postings, .stemLists, .text: nil
        }
    }

    private func checkAscending(
        _ section: KeywordSegment.Section, _ count: Int, end: Int, step: UInt64
    ) throws(RetrievalError) {
        let offsets = unsafe base.advanced(by: offset(of: section)).assumingMemoryBound(to: UInt64.self)
        guard unsafe offsets[0] == 0, unsafe offsets[count] == UInt64(end) else {
            throw Self.damage("its offsets are wrong")
        }
        for index in 0..<count {
            let (low, high) = unsafe (offsets[index], offsets[index + 1])
            guard high >= low, high - low >= step else { throw Self.damage("its offsets are wrong") }
        }
    }

    private mutating func checkRows() throws(RetrievalError) {
        let starts = unsafe base.advanced(by: offset(of: .rowStarts)).assumingMemoryBound(to: UInt64.self)
        let ordinals = unsafe base.advanced(by: offset(of: .ordinals)).assumingMemoryBound(to: UInt32.self)
        let titles = unsafe base.advanced(by: offset(of: .titleLengths)).assumingMemoryBound(to: UInt32.self)
        let counts = unsafe base.advanced(by: offset(of: .wordCounts)).assumingMemoryBound(to: UInt32.self)
        if rows > 0 { least = (.max, .max) }
        for row in 0..<rows {
            guard unsafe row == 0 || ordinals[row] > ordinals[row - 1], unsafe ordinals[row] < UInt32(Int32.max),
                unsafe UInt64(titles[row]) + 2 <= starts[row + 1] - starts[row]
            else { throw Self.damage("its rows are wrong") }
            unsafe words += Int(counts[row])
            unsafe least.words = min(least.words, Int(counts[row]))
            unsafe least.bytes = min(least.bytes, Int(starts[row + 1] - starts[row]))
        }
    }

    private static func damage(_ what: String) -> RetrievalError {
        RetrievalError(.indexFile, "not a usable keyword segment: \(what)")
    }
}
