/// The rows of a segment that hold a term, with a mark for each. The lower seven bits count the term in the row; the
/// upper bit is set when the title has it.
///
/// For patterns the lower bits count quarters: 4 for an occurrence that begins a word, 1 for one inside a word, at most
/// ``maxQuarters`` in all. The limit makes counts independent of the plan, since a scan may leave a document as soon as
/// it is reached. For stems the lower bits count occurrences, at most ``KeywordSegment/maxTermFrequency``.
struct TermRows: Sendable {
    /// Eight occurrences that begin a word: more say little about a document.
    static let maxQuarters = 32

    /// A row with its mark.
    struct Entry: Sendable, Equatable {
        var row: Int32
        var mark: UInt8
    }

    private enum Storage {
        /// By row, ascending.
        case few([Entry])
        /// A mark for each row of the segment; 0 for rows without the term.
        case many([UInt8])
    }

    private var storage: Storage

    init(_ entries: [Entry] = []) { storage = .few(entries) }

    /// Adds up postings.
    ///
    /// One pass over the postings, into an array of all rows or, when they are few, into a list that is sorted.
    /// - Parameters:
    ///   - factors: The factor of each entry's occurrences.
    ///   - most: The largest value of the lower bits.
    init(
        of factors: [(entry: Int, factor: Int)], in segment: KeywordSegment, postings: Int, most: Int
    ) {
        if postings * 8 < segment.rows {
            var entries: [Entry] = []
            entries.reserveCapacity(postings)
            for (entry, factor) in factors {
                segment.forEachPosting(of: entry) { row, mark in
                    entries.append(
                        Entry(row: Int32(row), mark: Self.sum(0, adding: mark, times: factor, most: most)))
                }
            }
            storage = .few(factors.count > 1 ? Self.combined(entries, most: most) : entries)
        } else {
            var marks = [UInt8](repeating: 0, count: segment.rows)
            unsafe marks.withUnsafeMutableBufferPointer { marks in
                for (entry, factor) in factors {
                    segment.forEachPosting(of: entry) { row, mark in
                        unsafe marks[row] = Self.sum(marks[row], adding: mark, times: factor, most: most)
                    }
                }
            }
            storage = .many(marks)
        }
    }

    @inline(__always)
    private static func sum(_ old: UInt8, adding mark: UInt8, times factor: Int, most: Int) -> UInt8 {
        let occurrences = min(most, Int(old & 0x7F) + Int(mark & 0x7F) * factor)
        return UInt8(truncatingIfNeeded: occurrences) | ((old | mark) & KeywordSegment.titleFlag)
    }

    private static func combined(_ entries: [Entry], most: Int) -> [Entry] {
        var sums: [Entry] = []
        for entry in entries.sorted(by: { $0.row < $1.row }) {
            if let last = sums.last, last.row == entry.row {
                sums[sums.count - 1].mark = sum(last.mark, adding: entry.mark, times: 1, most: most)
            } else {
                sums.append(entry)
            }
        }
        return sums
    }

    /// Calls the body with each row, ascending, and its mark.
    @inline(__always)
    func forEach(_ body: (_ row: Int, _ mark: UInt8) -> Void) {
        switch storage {
        case .few(let entries):
            for entry in entries { body(Int(entry.row), entry.mark) }
        case .many(let marks):
            unsafe marks.withUnsafeBufferPointer { marks in
                for row in 0..<marks.count where unsafe marks[row] != 0 { unsafe body(row, marks[row]) }
            }
        }
    }

    /// The number of rows.
    var count: Int {
        switch storage {
        case .few(let entries): entries.count
        case .many(let marks): marks.reduce(0) { $0 + ($1 != 0 ? 1 : 0) }
        }
    }

    /// Removes dead rows.
    mutating func remove(_ dead: Bitmap) {
        switch storage {
        case .few(let entries): storage = .few(entries.filter { !dead[Int($0.row)] })
        case .many(var marks):
            storage = .few([])
            dead.forEach { marks[$0] = 0 }
            storage = .many(marks)
        }
    }

    /// The rows alone, ascending. With another term, only the rows that both have.
    func rows(alsoIn other: TermRows?) -> [Int] {
        var rows: [Int] = []
        switch other?.storage {
        case nil: forEach { row, _ in rows.append(row) }
        case .many(let marks): forEach { row, _ in if marks[row] != 0 { rows.append(row) } }
        case .few(let entries):
            var next = 0
            forEach { row, _ in
                while next < entries.count, Int(entries[next].row) < row { next += 1 }
                if next < entries.count, Int(entries[next].row) == row { rows.append(row) }
            }
        }
        return rows
    }
}
