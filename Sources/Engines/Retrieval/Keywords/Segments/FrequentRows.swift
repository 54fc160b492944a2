import Synchronization

/// The rows of an entry that many rows hold: a bit for each row of the segment, and the marks of its rows in order.
/// Unlike the postings, it gives the mark of any row at once.
///
/// It takes a byte for each posting and 3/16 of a byte for each row.
///
/// SAFETY: `@unchecked Sendable` because the pointers lead into the immutable region that the value keeps.
@safe struct FrequentRows: @unchecked Sendable {
    /// Only entries with more bytes of postings than rows divided by this are frequent.
    static let share = 8
    /// In segments with fewer rows no entry is frequent: reading the postings is as fast.
    static let leastRows = 4096

    /// The number of rows that hold the entry.
    let count: Int
    /// The greatest lower bits of all marks, with the title's flag if any mark has it.
    let greatest: UInt8
    /// Valid as long as the value.
    let pointers: Pointers
    private let region: Region

    /// Reads the postings of an entry. Time grows with the postings and with the segment's rows.
    init(of entry: Int, in segment: KeywordSegment) {
        let wordCount = (segment.rows + 63) / 64
        let (ranksAt, marksAt) = (wordCount * 8, wordCount * 12)
        var (count, greatest) = (0, UInt8(0))
        // Damaged postings may repeat a row, which counts once, so there are never more marks than postings.
        region = unsafe Region(count: marksAt + segment.postingBytes(of: entry) / 2) { memory in
            guard let base = memory.baseAddress else { return }
            let words = unsafe base.assumingMemoryBound(to: UInt64.self)
            let ranks = unsafe (base + ranksAt).assumingMemoryBound(to: UInt32.self)
            let marks = unsafe (base + marksAt).assumingMemoryBound(to: UInt8.self)
            segment.forEachPosting(of: entry) { row, mark in
                let bit: UInt64 = 1 << UInt64(row & 63)
                guard unsafe words[row >> 6] & bit == 0 else { return }
                unsafe words[row >> 6] |= bit
                unsafe marks[count] = mark
                greatest = TermRows.greatest(greatest, mark)
                count += 1
            }
            var rank: UInt32 = 0
            for index in 0..<wordCount {
                unsafe ranks[index] = rank
                unsafe rank += UInt32(words[index].nonzeroBitCount)
            }
        }
        self.count = count
        self.greatest = greatest
        let base = unsafe region.bytes.baseAddress.unsafelyUnwrapped
        unsafe pointers = Pointers(
            words: base.assumingMemoryBound(to: UInt64.self),
            ranks: (base + ranksAt).assumingMemoryBound(to: UInt32.self),
            marks: (base + marksAt).assumingMemoryBound(to: UInt8.self))
    }

    /// The arrays, without the region that keeps them.
    @safe struct Pointers {
        /// 64 rows each.
        let words: UnsafePointer<UInt64>
        /// The number of marks before each word.
        let ranks: UnsafePointer<UInt32>
        let marks: UnsafePointer<UInt8>

        /// Whether a row of the segment holds the entry.
        @inline(__always)
        func contains(_ row: Int) -> Bool { unsafe words[row >> 6] & (1 << UInt64(row & 63)) != 0 }

        /// The mark of a row of the segment; 0 for a row without the entry.
        @inline(__always)
        func mark(at row: Int) -> UInt8 {
            let word = unsafe words[row >> 6]
            let bit: UInt64 = 1 << UInt64(row & 63)
            guard word & bit != 0 else { return 0 }
            return unsafe marks[Int(ranks[row >> 6]) + (word & (bit - 1)).nonzeroBitCount]
        }
    }

    /// The number of rows that are not among some dead ones.
    func count(without dead: Bitmap?, of rows: Int) -> Int {
        guard let dead else { return count }
        var live = 0
        for index in 0..<(rows + 63) / 64 { unsafe live += (pointers.words[index] & ~dead.word(index)).nonzeroBitCount }
        return live
    }
}

/// The frequent entries of a segment, each read when a search first needs it.
///
/// Their number is bounded: each takes an eighth of the bytes that all rows' postings have on average, or more.
final class FrequentEntries: Sendable {
    private let known = Mutex<[Int: FrequentRows]>([:])

    /// The rows of an entry; nil when the entry is not frequent.
    func rows(of entry: Int, in segment: KeywordSegment) -> FrequentRows? {
        guard segment.rows >= FrequentRows.leastRows,
            segment.postingBytes(of: entry) > segment.rows / FrequentRows.share
        else { return nil }
        if let rows = known.withLock({ $0[entry] }) { return rows }
        // Two searches may read the same postings; one result stays.
        let rows = FrequentRows(of: entry, in: segment)
        return known.withLock { known in
            if let first = known[entry] { return first }
            known[entry] = rows
            return rows
        }
    }
}
