extension Comparison {
    /// Clauses of the claim that deny what the windows affirm, or the reverse.
    ///
    /// The words of a clause vote: a word that the windows have only in clauses of the other polarity is a vote for a
    /// difference, a word that they have in one of the same polarity a vote against.
    func negationDifferences() -> [Difference] {
        var found: [Difference] = []
        for (clause, polarity) in claim.text.polarities.enumerated() where polarity != .open {
            var same: Float = 0
            var other: Float = 0
            var range: Range<Int>?
            var total: Float = 0
            for token in claim.tokens.indices where claim.tokens[token].clause == clause && !isName(token) {
                total += claim.weights[token]
                guard !matches[token].isEmpty else { continue }
                let theirs = matches[token].map { polarities[places[$0].clause] }
                if theirs.contains(polarity) || theirs.contains(.open) {
                    same += claim.weights[token]
                } else {
                    other += claim.weights[token]
                }
                range = (range?.lowerBound ?? claim.ranges[token].lowerBound)..<claim.ranges[token].upperBound
            }
            if other > same, other + same > 0.4 * total { found.append(Difference(kind: .negation, claimed: range)) }
        }
        if found.isEmpty, claim.text.polarities.allSatisfy({ $0 == .plain }), hasLostNegation {
            found.append(Difference(kind: .negation))
        }
        return found
    }

    /// Whether the claim, which denies nothing, has all words of a clause that the windows deny.
    private var hasLostNegation: Bool {
        let claimed = Set(matches.joined())
        return polarities.indices.contains { clause in
            guard polarities[clause] == .negated else { return false }
            let inside = places.indices.filter {
                places[$0].clause == clause && places[$0].token.isContent && !isValue(places[$0].token)
                    && (!places[$0].token.isFirst || isOrdinary(places[$0].token))
            }
            if inside.count == 1, let only = inside.first, places[only].token.isNounLike { return false }
            let count = inside.count { claimed.contains($0) }
            return count > 0 && (count == inside.count || count > 1 && count * 5 >= inside.count * 3)
        }
    }

    private func isValue(_ token: Token) -> Bool {
        token.quantity != nil || index.names.contains(token.id) || index.vocabulary.group(token.id) != nil
    }

    /// Whether a word is written with a small letter somewhere.
    func isOrdinary(_ token: Token) -> Bool {
        index.ordinary.contains(token.id) || claim.tokens.contains { $0.id == token.id && !$0.isName && !$0.isFirst }
    }

    /// Two clauses of the claim that both mix the words of the same two clauses of a passage: `sell the vice, keep the
    /// bench` for `sell the bench, keep the vice`.
    func crossedDifferences() -> [Difference] {
        var pairs: [[Int]: Int] = [:]
        for clause in claim.text.polarities.indices {
            var touched: Set<Int> = []
            for token in claim.tokens.indices where claim.tokens[token].clause == clause && claim.weights[token] > 0 {
                let clauses = Set(matches[token].map { places[$0].clause })
                if clauses.count == 1 { touched.formUnion(clauses) }
            }
            if touched.count == 2 { pairs[touched.sorted(), default: 0] += 1 }
        }
        return pairs.values.contains { $0 > 1 } ? [Difference(kind: .exchange)] : []
    }
}
