/// Searches the windows of a ``PrunedSearch`` one after another, on one thread.
///
/// SAFETY: The pointers lead to memory of this object with room for a window, or for one value of each term.
@safe final class WindowScan {
    /// Sums of bounds are raised by this share, more than what rounding can add to a score.
    private static let slack = 1 + 1e-4

    private let search: PrunedSearch
    private let conditions: PrunedSearch.Conditions
    private let terms: UnsafeMutableBufferPointer<ScoredTerm>
    /// The sums of the least bounds, as ``PrunedSearch/sums``, raised.
    private let sums: [Double]
    /// For each term, the first of its entries in the window, and the first behind it.
    private let near: UnsafeMutableBufferPointer<Range<Int>>
    /// For each term, where the last row was looked up in its entries.
    private let places: UnsafeMutableBufferPointer<Int>
    /// Bounds of the scores, by row of the window. Only those in ``found`` count.
    private let scores: UnsafeMutableBufferPointer<Float>
    /// The rows of the window that hold a required term, 64 each.
    private let found: UnsafeMutableBufferPointer<UInt64>
    /// The rows of the window that may be found, 64 each; used when documents are counted.
    private let counted: UnsafeMutableBufferPointer<UInt64>
    /// The terms that are not optional.
    private var required: [Int]
    /// The number of terms of ``PrunedSearch/byBound`` that are optional.
    private var optional = 0

    /// Begins at a row.
    init(_ search: PrunedSearch, first row: Int) {
        self.search = search
        conditions = search.conditions
        sums = search.sums.map { $0 * Self.slack }
        let count = search.terms.count
        required = Array(search.terms.indices)
        unsafe terms = .allocate(capacity: count)
        unsafe near = .allocate(capacity: count)
        unsafe places = .allocate(capacity: count)
        unsafe scores = .allocate(capacity: PrunedSearch.windowRows)
        unsafe found = .allocate(capacity: PrunedSearch.windowRows / 64)
        unsafe counted = .allocate(capacity: PrunedSearch.windowRows / 64)
        unsafe scores.initialize(repeating: 0)
        unsafe found.initialize(repeating: 0)
        unsafe counted.initialize(repeating: 0)
        for (index, term) in search.terms.enumerated() {
            let place = term.entry(from: row, in: 0..<term.entryCount)
            unsafe terms.initializeElement(at: index, to: term)
            unsafe near.initializeElement(at: index, to: place..<place)
            unsafe places.initializeElement(at: index, to: place)
        }
    }

    deinit {
        unsafe terms.deallocate()
        unsafe near.deallocate()
        unsafe places.deallocate()
        unsafe scores.deallocate()
        unsafe found.deallocate()
        unsafe counted.deallocate()
    }

    /// Searches a window; returns false when no further row can be among the best.
    ///
    /// - Parameter rows: The rows after those of the last window.
    func search(_ rows: Range<Int>, into best: inout KeywordBest, threshold shared: SharedThreshold) -> Bool {
        var threshold = max(best.threshold, shared.value)
        if !conditions.countsAll { chooseOptional(Double(threshold)) }
        guard !required.isEmpty else { return false }
        for index in unsafe terms.indices {
            let start = unsafe near[index].upperBound
            unsafe near[index] = start..<terms[index].entry(near: start, below: rows.upperBound)
            unsafe places[index] = start
        }
        addUp(rows)
        if conditions.countsAll { count(rows, &best) }

        var least = leastSum(for: threshold)
        for word in 0..<(rows.count + 63) / 64 {
            var bits = unsafe found[word]
            unsafe found[word] = 0
            while bits != 0 {
                let place = word << 6 + bits.trailingZeroBitCount
                bits &= bits - 1
                guard unsafe scores[place] >= least else { continue }
                unsafe offer(rows.lowerBound + place, scores[place], threshold, to: &best)
                guard best.threshold > threshold else { continue }
                threshold = best.threshold
                least = leastSum(for: threshold)
                shared.raise(to: threshold)
            }
        }
        return true
    }

    /// Makes terms optional as long as a document that has only optional terms stays below a threshold.
    private func chooseOptional(_ threshold: Double) {
        let before = optional
        while optional < search.byBound.count, sums[optional + 1] < threshold { optional += 1 }
        guard optional > before else { return }
        let chosen = Set(search.byBound[..<optional])
        required = search.terms.indices.filter { !chosen.contains($0) }
    }

    /// Adds up bounds of the required terms' scores.
    private func addUp(_ rows: Range<Int>) {
        guard let scores = unsafe scores.baseAddress, let found = unsafe found.baseAddress else { return }
        let sums = unsafe WindowSums(scores: scores, found: found, rows: rows)
        // Terms that select come first, so they alone are found here.
        var isAtPatterns = true
        for index in required {
            if isAtPatterns, conditions.countsAll, unsafe !terms[index].selects {
                isAtPatterns = false
                copyFound()
            }
            unsafe sums.add(terms[index], near[index])
        }
        if conditions.countsAll, isAtPatterns || !conditions.needsPattern { copyFound() }
    }

    private func copyFound() {
        for word in unsafe found.indices { unsafe counted[word] = found[word] }
    }

    /// Counts the rows of a window that meet the conditions.
    private func count(_ rows: Range<Int>, _ best: inout KeywordBest) {
        for word in 0..<(rows.count + 63) / 64 {
            var bits = unsafe counted[word]
            while bits != 0 {
                if isPassed(rows.lowerBound + word << 6 + bits.trailingZeroBitCount) { best.found += 1 }
                bits &= bits - 1
            }
        }
    }

    /// The least sum of the required terms' bounds with which a row can reach a threshold.
    private func leastSum(for threshold: Float) -> Float {
        Float((Double(threshold) - sums[optional]) / Self.slack)
    }

    /// The document of a row.
    @inline(__always)
    private func ordinal(of row: Int) -> Int { search.segment.isNumbered ? row : search.segment.ordinal(row) }

    /// Whether the document of a row may be found.
    @inline(__always)
    private func isPassed(_ row: Int) -> Bool { conditions.passed[ordinal(of: row)] && search.dead?[row] != true }

    /// Offers a row if it meets the conditions and reaches a threshold.
    ///
    /// - Parameter sum: The bounds of its required terms.
    private func offer(_ row: Int, _ sum: Float, _ threshold: Float, to best: inout KeywordBest) {
        guard isPassed(row) else { return }
        var sum = sum
        for place in stride(from: optional - 1, through: 0, by: -1) {
            let index = search.byBound[place]
            let mark = unsafe terms[index].mark(at: row, from: &places[index])
            if mark != 0 { unsafe sum += terms[index].bound(mark, row: row) }
            guard Double(sum) * Self.slack + sums[place] >= Double(threshold) else { return }
        }
        offerExactly(row, threshold, to: &best)
    }

    /// Offers a row that may be found with its score if it reaches a threshold. Rows must come in ascending order.
    private func offerExactly(_ row: Int, _ threshold: Float, to best: inout KeywordBest) {
        var score: Float = 0
        var hasPattern = false
        for index in unsafe terms.indices {
            let mark = unsafe terms[index].mark(at: row, from: &places[index])
            guard mark != 0 else { continue }
            unsafe score += terms[index].score(mark, row: row)
            if unsafe terms[index].selects { hasPattern = true }
        }
        guard score >= threshold, conditions.needsPattern ? hasPattern : score > 0 else { return }
        best.offer(score, ordinal(of: row), createdAt: conditions.createdAt, ids: conditions.ids)
    }

    /// The worst score of the best documents among some rows; minus infinity when there are fewer than wanted.
    ///
    /// - Parameter rows: Ascending. The scan must have begun at or before the first one, and cannot search windows
    ///   afterwards.
    func threshold(of rows: [Int], wanted: Int) -> Float {
        var best = KeywordBest(wanted)
        offer(rows, to: &best)
        return best.threshold
    }

    /// Offers some rows with their scores, under the conditions of ``threshold(of:wanted:)``.
    func offer(_ rows: [Int], to best: inout KeywordBest) {
        for row in rows where isPassed(row) { offerExactly(row, best.threshold, to: &best) }
    }
}
