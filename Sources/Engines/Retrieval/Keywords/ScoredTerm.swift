/// A term in one segment, ready to be scored: its rows as plain pointers, its curve, and a bound of its scores.
///
/// SAFETY: The pointers stay valid as long as the ``TermRows``, the segment and the norms that the value was made from,
/// which the owner keeps (``PrunedSearch``).
@safe struct ScoredTerm {
    let curve: BM25.Curve
    /// Whether a document must hold one of these terms, if the search needs patterns.
    let selects: Bool
    /// No row's score is greater.
    let bound: Double
    let frequent: FrequentRows.Pointers?
    /// A mark for each row; nil when ``entries`` holds the rows.
    let marks: UnsafePointer<UInt8>?
    /// The number of rows in ``entries``.
    let entryCount: Int
    let entries: UnsafePointer<TermRows.Entry>
    /// For stems, lengths are in words, and for patterns in bytes.
    private let words: UnsafePointer<UInt32>?
    private let starts: UnsafePointer<UInt64>
    /// The code of each row's length (``RowLengths``).
    private let codes: UnsafePointer<UInt8>
    /// By code, the norm of the least length.
    private let norms: UnsafePointer<Float>
    private let factor: Int
    private let most: Int

    /// - Parameter norms: The curve's norms of the least lengths, by code.
    init(
        _ rows: TermRows, of segment: KeywordSegment, isStem: Bool, selects: Bool, curve: BM25.Curve,
        norms: UnsafePointer<Float>
    ) {
        self.curve = curve
        self.selects = selects
        unsafe words = isStem ? segment.wordCounts : nil
        unsafe starts = segment.starts
        unsafe codes = isStem ? segment.lengths.words : segment.lengths.bytes
        unsafe self.norms = norms
        frequent = rows.frequent?.pointers
        (factor, most) = (rows.factor, rows.most)
        switch rows.others {
        case .few(let region):
            unsafe marks = nil
            entryCount = unsafe region.values(of: TermRows.Entry.self).count
            unsafe entries = region.values(of: TermRows.Entry.self).baseAddress.unsafelyUnwrapped
        case .many(let region):
            unsafe marks = region.values(of: UInt8.self).baseAddress
            entryCount = 0
            unsafe entries = region.values(of: TermRows.Entry.self).baseAddress.unsafelyUnwrapped
        }
        let least = isStem ? segment.least.words : segment.least.bytes
        bound = Double(curve.score(rows.greatest, norm: curve.norm(of: Float(least))))
    }

    func score(_ mark: UInt8, row: Int) -> Float {
        let length = unsafe words.map { unsafe Int($0[row]) } ?? Int(truncatingIfNeeded: starts[row + 1] &- starts[row])
        return curve.score(mark, norm: curve.norm(of: Float(length)))
    }

    /// A bound of the score of a row with a mark. It is close, and reads a byte of the row instead of its length.
    @inline(__always)
    func bound(_ mark: UInt8, row: Int) -> Float { unsafe curve.score(mark, norm: norms[Int(codes[row])]) }

    /// The mark of a row; 0 for a row without the term.
    ///
    /// - Parameter place: The index in ``entries`` where to look for the row. It moves on to the row, so rows must be
    ///   looked up in ascending order.
    @inline(__always)
    func mark(at row: Int, from place: inout Int) -> UInt8 {
        var mark: UInt8 = 0
        if let marks = unsafe marks {
            mark = unsafe marks[row]
        } else if place < entryCount {
            if unsafe Int(entries[place].row) < row { place = entry(near: place + 1, below: row) }
            if place < entryCount, unsafe Int(entries[place].row) == row { mark = unsafe entries[place].mark }
        }
        guard let frequent else { return mark }
        return TermRows.sum(mark, adding: frequent.mark(at: row), times: factor, most: most)
    }

    /// The mark of the frequent entry alone, as it counts.
    @inline(__always)
    func counted(_ mark: UInt8) -> UInt8 { TermRows.sum(0, adding: mark, times: factor, most: most) }

    /// The first of some entries whose row is not below a row; the range's end when there is none. Logarithmic.
    @inline(__always)
    func entry(from row: Int, in range: Range<Int>) -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low &+ high) / 2
            if unsafe Int(entries[middle].row) < row { low = middle &+ 1 } else { high = middle }
        }
        return low
    }

    /// The first entry from a place on whose row is not below a row. Time grows with the logarithm of the distance.
    @inline(__always)
    func entry(near start: Int, below row: Int) -> Int {
        var (low, step) = (start, 1)
        while low + step <= entryCount, unsafe Int(entries[low + step - 1].row) < row {
            low += step
            step *= 2
        }
        return entry(from: row, in: low..<min(entryCount, low + step))
    }
}
