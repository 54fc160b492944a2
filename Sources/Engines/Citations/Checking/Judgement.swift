/// What passages are worth as the source of a claim.
struct Judgement {
    enum State { case supported, altered, unsupported }

    var state: State
    /// How much of the claim the passages have, 0 to 1; the score of a window.
    var score: Float
    var differences: [Difference]
    var windows: [Window]

    /// Compares a claim with the best windows of the passages that it cites.
    ///
    /// - Parameter similarity: The cosine of sentence and passage, if the caller has one.
    init(
        _ claim: Claim, _ windows: [Window], _ index: PassageIndex, similarity: Float?, isCited: Bool = true,
        _ thresholds: CitationThresholds = .calibrated
    ) {
        self.windows = windows
        guard !windows.isEmpty, !claim.isEmpty else {
            (state, score, differences) = (.unsupported, 0, [])
            return
        }
        let comparison = Comparison(claim, windows, index)
        score = comparison.coverage
        let values =
            ValueCheck(comparison: comparison).differences() + BindingCheck(comparison: comparison).differences()
        let wording = WordingCheck(comparison: comparison).differences()
        var differences =
            values.map(\.difference) + NegationCheck(comparison: comparison).differences()
            + CrossingCheck(comparison: comparison).differences()
        differences +=
            ScopeCheck(comparison: comparison).differences() + RoleCheck(comparison: comparison).differences()
        differences += ActorCheck(comparison: comparison).differences()
        differences += Self.quotationDifferences(claim, windows, index)
        let rest = comparison.coverage(without: Set(values.map(\.token)))
        if differences.isEmpty { differences = StrengthCheck(comparison: comparison).differences() }
        if differences.isEmpty { differences = wording.map(\.difference) }
        self.differences = differences
        let cosine = similarity.map { max(0, min(1, $0)) } ?? 0.5
        let limit =
            (isCited ? (windows.count > 1 ? thresholds.joint : thresholds.supported) : thresholds.elsewhere)
            + (0.5 - cosine) * 2 * thresholds.similarity
        if differences.isEmpty {
            let isClose =
                !isCited
                || comparison.missingNouns <= thresholds.missingNouns
                    && comparison.unmentioned <= thresholds.unmentioned
            let isWhole =
                comparison.leastClauseCoverage >= thresholds.clause
                && !SubjectCheck(comparison: comparison).hasOtherSubject
            state = score >= limit && isWhole && isClose ? .supported : .unsupported
        } else {
            // Values of one passage beside the words of another are merged, not altered.
            let isAltered = differences.contains { $0.isAlteration && ($0.kind != .exchange || windows.count == 1) }
            let isWording = differences.allSatisfy { $0.kind == .wording }
            state = isAltered && rest >= (isWording ? thresholds.wording : thresholds.altered) ? .altered : .unsupported
        }
    }

    /// Support by a passage's title and day alone; its first sentence stands for them.
    init(supportedBy passage: Int, _ index: PassageIndex) {
        let first = index.spans[passage].lowerBound
        windows = [Window(passage: passage, entries: first..<(first + 1), coverage: 1)]
        (state, score, differences) = (.supported, 1, [])
    }

    /// The judgement of all cited passages: that of one alone if it supports the claim, else that of all together.
    static func best(
        _ claim: Claim, _ windows: [Window], _ index: PassageIndex, _ similarity: ((Int) -> Float?)?
    ) -> Judgement {
        let alone = windows.map { Judgement(claim, [$0], index, similarity: similarity?($0.passage)) }
        let supporting = alone.filter { $0.state == .supported }
        if let best = supporting.max(by: { $0.score < $1.score }) {
            return Judgement(best, windows: supporting.flatMap(\.windows))
        }
        guard windows.count > 1 else {
            return alone.first ?? Judgement(claim, [], index, similarity: nil)
        }
        let joint = Judgement(
            claim, windows, index, similarity: windows.compactMap { similarity?($0.passage) }.max())
        // Clauses may come from several passages, the words of one clause may not.
        if joint.state == .supported, !Comparison(claim, windows, index).hasWholeClauses {
            return Judgement(joint, state: .unsupported)
        }
        let altered = alone.filter { $0.state == .altered }.max { $0.score < $1.score }
        return joint.state == .supported ? joint : altered ?? joint
    }

    private init(_ other: Judgement, state: State? = nil, windows: [Window]? = nil) {
        self = other
        self.state = state ?? other.state
        self.windows = windows ?? other.windows
    }

    private static func quotationDifferences(_ claim: Claim, _ windows: [Window], _ index: PassageIndex) -> [Difference]
    {
        let isQuoted = claim.quotations.allSatisfy { quotation in
            windows.contains { index.quotable[$0.passage].contains(quotation) }
        }
        return isQuoted ? [] : [Difference(kind: .quotation)]
    }
}
