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
        let clauses = Set(bestClauses.compactMap { $0?.clause })
        let inside = places.indices.filter { clauses.contains(places[$0].clause) && places[$0].token.isContent }
        let left = inside.count { !isClaimed($0) }
        return Float(left) / Float(max(1, inside.count))
    }

    /// The clause of the windows that has most of some tokens of the claim, and how much by weight.
    func bestClause(for tokens: [Int]) -> BestClause? {
        var shares = [Float](repeating: 0, count: polarities.count)
        var entries = [Int](repeating: 0, count: polarities.count)
        var total: Float = 0
        for token in tokens {
            total += claim.weights[token]
            var last = -1
            // Places, and so their clauses, ascend.
            for place in matches[token] where places[place].clause != last {
                last = places[place].clause
                shares[last] += claim.weights[token]
                entries[last] = places[place].entry
            }
        }
        guard total > 0, let most = shares.max(), most > 0, let best = shares.firstIndex(of: most) else { return nil }
        return BestClause(clause: best, entry: entries[best], share: most / total)
    }
}
