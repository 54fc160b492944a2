/// Whether the claim mixes the words of two clauses of a passage.
struct CrossingCheck: ComparisonCheck {
    let comparison: Comparison

    /// Two clauses of the claim that mix the words of the same two clauses of a passage: `sell the vice, keep the bench` for
    /// `sell the bench, keep the vice`.
    ///
    /// One clause of the claim has words of both clauses of the passage, another one has words of the earlier of both. The
    /// claim's first word does not count: `the hut has 45 beds and opens in June` may turn clauses round.
    func differences() -> [Difference] {
        let entries = Dictionary(places.map { ($0.clause, $0.entry) }) { first, _ in first }
        let subject = claim.tokens.indices.first { claim.weights[$0] > 0 }
        let all = claim.text.polarities.indices.map { touched(byClause: $0, without: nil) }
        let rest = claim.text.polarities.indices.map { touched(byClause: $0, without: subject) }
        for one in claim.text.polarities.indices {
            for other in claim.text.polarities.indices where other != one {
                if all[one].count == 2, one < other, all[one] == all[other], areNeighbours(all[one], entries) {
                    return [Difference(kind: .exchange)]
                }
                if rest[one].count == 2, areNeighbours(rest[one], entries), let first = rest[one].min(),
                    rest[other].contains(first)
                {
                    return [Difference(kind: .exchange)]
                }
            }
        }
        return []
    }

    private func areNeighbours(_ clauses: Set<Int>, _ entries: [Int: Int]) -> Bool {
        Set(clauses.map { entries[$0] }).count == 1
    }

    /// The clauses of the windows that alone have some word of a clause of the claim.
    private func touched(byClause clause: Int, without left: Int?) -> Set<Int> {
        var touched: Set<Int> = []
        for token in claim.tokens.indices
        where claim.tokens[token].clause == clause && claim.weights[token] > 0 && token != left {
            let clauses = Set(matches[token].map { places[$0].clause })
            if clauses.count == 1 { touched.formUnion(clauses) }
        }
        return touched
    }
}
