/// The rows of a segment that hold a term, with a mark for each. The lower seven bits count the term in the row; the
/// upper bit is set when the title has it.
///
/// For patterns the lower bits count quarters: 4 for an occurrence that begins a word, 1 for one inside a word, at most
/// ``maxQuarters`` in all. The limit makes counts independent of the plan, since a scan may leave a document as soon as
/// it is reached. For stems the lower bits count occurrences, at most ``KeywordSegment/maxTermFrequency``.
///
/// The most frequent entry of a term is not copied: the rows refer to it, and hold only the marks of other entries.
struct TermRows: Sendable {
    /// Eight occurrences that begin a word: more say little about a document.
    static let maxQuarters = 32
    /// The postings of several entries are sorted when they are fewer than the rows divided by this. Otherwise they are
    /// added up in an array of all rows.
    static let sortedShare = 1024

    /// A row with its mark.
    struct Entry: Sendable, Equatable {
        var row: Int32
        var mark: UInt8
    }

    /// The rows of all entries but the frequent one. Dead rows are left out.
    enum Others {
        /// By row, ascending: ``Entry`` values.
        case few(Region)
        /// A mark for each row of the segment, and up to the next multiple of 64; 0 for rows without the term.
        case many(Region)
    }

    /// The frequent entry.
    let frequent: FrequentRows?
    /// How often an occurrence of the frequent entry counts.
    let factor: Int
    let others: Others
    /// The largest value of the lower bits.
    let most: Int
    /// Rows that do not count.
    private let dead: Bitmap?
    /// The number of live rows.
    let count: Int
    /// No mark has greater lower bits. Without the title's flag, no mark has it.
    let greatest: UInt8

    /// Creates the rows of some entries, ascending.
    init(_ entries: [Entry] = []) {
        (frequent, factor, dead, most) = (nil, 0, nil, KeywordSegment.maxTermFrequency)
        others = .few(Region(copying: entries))
        count = entries.count
        greatest = entries.reduce(0) { Self.greatest($0, $1.mark) }
    }

    /// Adds up postings.
    ///
    /// One pass over the postings, except those of the most frequent entry.
    /// - Parameters:
    ///   - factors: The factor of each entry's occurrences.
    ///   - postings: The number of postings, or a greater one.
    ///   - most: The largest value of the lower bits.
    ///   - dead: Rows to leave out.
    init(
        of factors: [(entry: Int, factor: Int)], in segment: KeywordSegment, postings: Int, most: Int,
        without dead: Bitmap? = nil
    ) {
        var factors = factors
        var left = postings
        let largest = factors.indices.max {
            segment.postingBytes(of: factors[$0].entry) < segment.postingBytes(of: factors[$1].entry)
        }
        if let largest, let rows = segment.frequent.rows(of: factors[largest].entry, in: segment) {
            let factor = factors.remove(at: largest).factor
            left -= rows.count
            (frequent, self.factor) = (rows, factor)
            let bits = Self.sum(0, adding: rows.greatest, times: factor, most: most)
            self.dead = dead
            self.most = most
            let others = Self.others(factors, in: segment, postings: left, most: most, dead: dead, frequent: rows)
            self.others = others.rows
            count = rows.count(without: dead, of: segment.rows) + others.fresh
            greatest = Self.sum(bits, adding: others.greatest, times: 1, most: most)
        } else {
            (frequent, factor) = (nil, 0)
            self.dead = dead
            self.most = most
            let others = Self.others(factors, in: segment, postings: left, most: most, dead: dead, frequent: nil)
            self.others = others.rows
            count = others.fresh
            greatest = others.greatest
        }
    }

    // MARK: Adding up

    /// The marks of some entries, the number of rows that the frequent entry lacks, and a bound of the marks.
    private static func others(
        _ factors: [(entry: Int, factor: Int)], in segment: KeywordSegment, postings: Int, most: Int, dead: Bitmap?,
        frequent: FrequentRows?
    ) -> (rows: Others, fresh: Int, greatest: UInt8) {
        if factors.count > 1, postings > segment.rows / sortedShare {
            return many(factors, in: segment, most: most, dead: dead, frequent: frequent)
        }
        var entries: [UInt64] = []
        for (entry, factor) in factors {
            entries.reserveCapacity(entries.count + segment.postingBytes(of: entry) / 2)
            segment.forEachPosting(of: entry) { row, mark in
                entries.append(UInt64(row) << 8 | UInt64(sum(0, adding: mark, times: factor, most: most)))
            }
        }
        // Damaged postings may repeat a row.
        if factors.count > 1 { entries.sort() }
        var (fresh, greatest) = (0, UInt8(0))
        var sums: [Entry] = []
        sums.reserveCapacity(entries.count)
        for entry in entries {
            let (row, mark) = (Int32(truncatingIfNeeded: entry >> 8), UInt8(truncatingIfNeeded: entry))
            if dead?[Int(row)] == true { continue }
            if let last = sums.last, last.row == row {
                sums[sums.count - 1].mark = sum(last.mark, adding: mark, times: 1, most: most)
            } else {
                if frequent?.pointers.contains(Int(row)) != true { fresh += 1 }
                sums.append(Entry(row: row, mark: mark))
            }
            greatest = Self.greatest(greatest, sums[sums.count - 1].mark)
        }
        return (.few(Region(copying: sums)), fresh, greatest)
    }

    private static func many(
        _ factors: [(entry: Int, factor: Int)], in segment: KeywordSegment, most: Int, dead: Bitmap?,
        frequent: FrequentRows?
    ) -> (rows: Others, fresh: Int, greatest: UInt8) {
        var (fresh, greatest, flags) = (0, UInt8(0), UInt8(0))
        // Whole words of 64 rows, so that a reader need not look at the end.
        let region = unsafe Region(count: (segment.rows + 63) / 64 * 64) { memory in
            guard let marks = unsafe memory.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            for (entry, factor) in factors {
                segment.forEachPosting(of: entry) { row, mark in
                    let old = unsafe marks[row]
                    let new = sum(old, adding: mark, times: factor, most: most)
                    unsafe marks[row] = new
                    flags |= new
                    greatest = max(greatest, new & 0x7F)
                    fresh &+= old == 0 ? 1 : 0
                }
            }
            if let frequent {
                for row in 0..<segment.rows where unsafe marks[row] != 0 && frequent.pointers.contains(row) {
                    fresh -= 1
                }
            }
            dead?.forEach { row in
                guard row < segment.rows, unsafe marks[row] != 0 else { return }
                unsafe marks[row] = 0
                if frequent?.pointers.contains(row) != true { fresh -= 1 }
            }
        }
        return (.many(region), fresh, greatest | flags & KeywordSegment.titleFlag)
    }

    /// A mark with the greater lower bits of two, and the title's flag of both.
    @inline(__always)
    static func greatest(_ old: UInt8, _ mark: UInt8) -> UInt8 {
        max(old & 0x7F, mark & 0x7F) | (old | mark) & KeywordSegment.titleFlag
    }

    /// The mark of the occurrences of two marks, the second one's times a factor.
    @inline(__always)
    static func sum(_ old: UInt8, adding mark: UInt8, times factor: Int, most: Int) -> UInt8 {
        let occurrences = min(most, Int(old & 0x7F) &+ Int(mark & 0x7F) &* factor)
        return UInt8(truncatingIfNeeded: occurrences) | ((old | mark) & KeywordSegment.titleFlag)
    }

    // MARK: Reading

    /// Calls the body with each live row, ascending, and its mark.
    func forEach(_ body: (_ row: Int, _ mark: UInt8) -> Void) {
        switch others {
        case .few(let region) where frequent == nil:
            let entries = unsafe region.values(of: Entry.self)
            for place in entries.indices { unsafe body(Int(entries[place].row), entries[place].mark) }
        case .few(let region):
            let entries = unsafe region.values(of: Entry.self)
            var next = 0
            forEachFrequent { row, mark in
                while next < entries.count, unsafe Int(entries[next].row) < row {
                    unsafe body(Int(entries[next].row), entries[next].mark)
                    next += 1
                }
                var mark = mark
                if next < entries.count, unsafe Int(entries[next].row) == row {
                    unsafe mark = Self.sum(mark, adding: entries[next].mark, times: 1, most: most)
                    next += 1
                }
                body(row, mark)
            }
            for place in next..<entries.count { unsafe body(Int(entries[place].row), entries[place].mark) }
        case .many(let region):
            let marks = unsafe region.bytes
            for row in 0..<marks.count {
                var mark = unsafe marks[row]
                if let frequent, dead?[row] != true {
                    mark = Self.sum(mark, adding: frequent.pointers.mark(at: row), times: factor, most: most)
                }
                if mark != 0 { body(row, mark) }
            }
        }
    }

    private func forEachFrequent(_ body: (_ row: Int, _ mark: UInt8) -> Void) {
        guard let frequent else { return }
        var left = frequent.count
        var index = 0
        while left > 0 {
            var rest = unsafe frequent.pointers.words[index]
            while rest != 0 {
                let row = index << 6 + rest.trailingZeroBitCount
                rest &= rest - 1
                left -= 1
                if dead?[row] == true { continue }
                body(row, Self.sum(0, adding: frequent.pointers.mark(at: row), times: factor, most: most))
            }
            index += 1
        }
    }

    /// The rows that hold this term and another one, ascending.
    func rows(alsoIn other: TermRows) -> [Int] {
        var (own, both): ([Int], [Int]) = ([], [])
        forEach { row, _ in own.append(row) }
        var next = 0
        other.forEach { row, _ in
            while next < own.count, own[next] < row { next += 1 }
            if next < own.count, own[next] == row { both.append(row) }
        }
        return both
    }
}
