extension Comparison {
    /// The share of the claim, by weight, that is nouns, names, numbers and predicates that the windows lack.
    var missingNouns: Float {
        let total = claim.weights.reduce(0, +)
        let lacking = missing.filter(claim.isFixed).reduce(Float(0)) { $0 + claim.weights[$1] }
        return total > 0 ? lacking / total : 0
    }

    /// The share of words that the claim does not have in the clauses of the windows that it comes from.
    ///
    /// A paraphrase takes up most of a clause. Words gathered from several clauses leave most of each.
    var unmentioned: Float {
        let clauses = Set(claim.text.polarities.indices.compactMap { bestClause(for: $0)?.clause })
        let inside = places.indices.filter { clauses.contains(places[$0].clause) && places[$0].token.isContent }
        let left = inside.count { !isClaimed($0) }
        return Float(left) / Float(max(1, inside.count))
    }

    /// The clause of the windows that has most of a clause of the claim.
    func bestClause(for clause: Int) -> (clause: Int, entry: Int, share: Float)? {
        bestClause(for: claim.tokens.indices.filter { claim.tokens[$0].clause == clause && claim.weights[$0] > 0 })
    }

    /// The clause of the windows that has most of some tokens of the claim, and how much by weight.
    func bestClause(for tokens: [Int]) -> (clause: Int, entry: Int, share: Float)? {
        var shares: [Int: Float] = [:]
        var entries: [Int: Int] = [:]
        var total: Float = 0
        for token in tokens {
            total += claim.weights[token]
            for place in Set(matches[token].map { places[$0].clause }) { shares[place, default: 0] += claim.weights[token] }
            for place in matches[token] { entries[places[place].clause] = places[place].entry }
        }
        guard let best = shares.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), let entry = entries[best.key],
            total > 0
        else { return nil }
        return (best.key, entry, best.value / total)
    }
}
