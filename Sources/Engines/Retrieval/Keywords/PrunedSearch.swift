/// Finds the best documents of one segment without scoring all that hold a term.
///
/// MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995) over windows of rows. Once as
/// many documents as wanted were found, the worst of them sets a threshold. Terms whose bounds together stay below the
/// threshold are optional: no document can be among the best by them alone. In each window the scores of the other terms
/// are added up, and the optional terms are looked up only in rows that can still reach the threshold. The result is
/// equal to that of scoring every row: the score of a document that is kept is summed in the order of the terms.
///
/// SAFETY: `@unchecked Sendable` because nothing changes after `init`, and the pointers of the terms lead into
/// immutable regions that ``owners`` and ``segment`` keep.
@safe final class PrunedSearch: @unchecked Sendable {
    /// Rows of a window. Its scores fit into the first cache.
    static let windowRows = 4096

    /// The conditions that a document must meet, and what is wanted of the best.
    struct Conditions: Sendable {
        /// Whether a document must hold a term that selects.
        var needsPattern: Bool
        /// Whether all documents are counted, which needs every score.
        var countsAll: Bool
        /// The documents that may be found.
        var passed: Bitmap
        /// By ordinal.
        var createdAt: Column<Int64>
        var ids: Column<Int64>
    }

    let segment: KeywordSegment
    let dead: Bitmap?
    let conditions: Conditions
    /// In the order in which scores are summed.
    let terms: [ScoredTerm]
    /// The indices of the terms by ascending bound.
    let byBound: [Int]
    /// Sums of the least bounds: of none, of the first of ``byBound``, of the first two, …
    let sums: [Double]
    private let owners: [TermRows]
    /// The norms of the least lengths by code: of stems, then of patterns. All curves of a kind have the same norms.
    private let norms: UnsafeMutablePointer<Float>

    /// Creates a search for terms: the rows of each in the segment, whether it is a stem, whether it selects, and its curve.
    init(
        _ terms: [(rows: TermRows, isStem: Bool, selects: Bool, curve: BM25.Curve)], in part: KeywordIndex.Part,
        conditions: Conditions
    ) {
        segment = part.segment
        dead = part.dead
        self.conditions = conditions
        owners = terms.map(\.rows)
        let norms = UnsafeMutablePointer<Float>.allocate(capacity: 2 * RowLengths.codes)
        for (kind, isStem) in [true, false].enumerated() {
            let curve = terms.first { $0.isStem == isStem }?.curve
            for code in 0..<RowLengths.codes {
                let norm = curve?.norm(of: RowLengths.least(of: code)) ?? 0
                unsafe (norms + kind * RowLengths.codes + code).initialize(to: norm)
            }
        }
        unsafe self.norms = norms
        let scored = terms.map { term in
            unsafe ScoredTerm(
                term.rows, of: part.segment, isStem: term.isStem, selects: term.selects, curve: term.curve,
                norms: norms + (term.isStem ? 0 : RowLengths.codes))
        }
        self.terms = scored
        byBound = scored.indices.sorted { scored[$0].bound < scored[$1].bound }
        var sums = [0.0]
        for index in byBound { sums.append(sums[sums.count - 1] + scored[index].bound) }
        self.sums = sums
    }

    deinit { unsafe norms.deallocate() }

    /// The number of windows.
    var windows: Int { (segment.rows + Self.windowRows - 1) / Self.windowRows }

    /// A score that at least as many documents as wanted reach, from the rows of the terms with the greatest bounds.
    /// A search that begins with it leaves out more rows. Minus infinity when those rows are too few or too many.
    func firstThreshold(wanted: Int) -> Float {
        var rows: Set<Int> = []
        for index in byBound.reversed() where rows.count < wanted {
            let term = terms[index]
            guard term.frequent == nil, unsafe term.marks == nil, term.entryCount <= 4 * wanted else { continue }
            for place in 0..<term.entryCount { unsafe rows.insert(Int(term.entries[place].row)) }
        }
        guard rows.count >= wanted else { return -.infinity }
        return withExtendedLifetime(self) { WindowScan(self, first: 0).threshold(of: rows.sorted(), wanted: wanted) }
    }

    /// Offers some rows, ascending, with their scores.
    func offer(_ rows: [Int], to best: inout KeywordBest) {
        withExtendedLifetime(self) { WindowScan(self, first: 0).offer(rows, to: &best) }
    }

    /// Searches some windows.
    ///
    /// - Parameter threshold: The least score that can be among the best of all windows, which searches share.
    func search(_ range: Range<Int>, into best: inout KeywordBest, threshold: SharedThreshold) {
        withExtendedLifetime(self) {
            let scan = WindowScan(self, first: range.lowerBound * Self.windowRows)
            for window in range {
                let rows = window * Self.windowRows..<min(segment.rows, (window + 1) * Self.windowRows)
                guard scan.search(rows, into: &best, threshold: threshold) else { return }
            }
        }
    }
}
