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

    /// Numbers, names and opposites that the windows have, but with other words than the claim.
    ///
    /// The words beside the value in its clause vote: for a difference when they stand in a clause of the windows with
    /// another value of the kind and without this one.
    func exchangeDifferences() -> [(token: Int, difference: Difference)] {
        var found: [(token: Int, difference: Difference)] = []
        for token in claim.tokens.indices where claim.weights[token] > 0 && !matches[token].isEmpty && isValue(token) {
            let own = Set(matches[token].map { places[$0].clause })
            let entries = Set(matches[token].map { places[$0].entry })
            let rivals = places.filter { isRival($0.token, of: token) && !own.contains($0.clause) }
            let near = rivals.filter { entries.contains($0.entry) }
            // Another sentence may name someone and go on with `he`.
            let others = Set((isName(token) || !near.isEmpty ? near : rivals).map(\.clause))
            guard !others.isEmpty else { continue }
            var same: Float = 0
            var other: Float = 0
            var total: Float = 0
            for beside in claim.tokens.indices
            where beside != token && claim.tokens[beside].clause == claim.tokens[token].clause && !isValue(beside) {
                let clauses = matches[beside].map { places[$0].clause }
                let isOwn = clauses.contains(where: own.contains)
                let isOther = clauses.contains(where: others.contains)
                total += claim.weights[beside]
                // A word that both have says nothing.
                if isOwn, !isOther { same += claim.weights[beside] }
                if isOther, !isOwn { other += claim.weights[beside] }
            }
            let isNearer = same + other == 0 && claim.tokens[token].quantity != nil && isRivalNearer(rivals, token)
            if other > (near.isEmpty ? 8 : 1.5) * same && other * 4 > total || isNearer {
                found.append((token, Difference(kind: .exchange, claimed: claim.ranges[token])))
            }
        }
        return found
    }

    /// Whether another number stands in a sentence nearer to the claim's other words than the number itself does.
    private func isRivalNearer(_ rivals: [Place], _ token: Int) -> Bool {
        let entries = claim.tokens.indices.filter { $0 != token && !isValue($0) }.flatMap { matches[$0] }.map {
            places[$0].entry
        }
        func distance(_ entry: Int) -> Int { entries.map { abs($0 - entry) }.min() ?? 0 }
        guard !entries.isEmpty, let own = matches[token].map({ distance(places[$0].entry) }).min() else { return false }
        return rivals.contains { !isClaimed($0.token) && distance($0.entry) < own }
    }

    private func isClaimed(_ token: Token) -> Bool {
        claim.tokens.indices.contains { claim.strength($0, token) > 0 }
    }

    private func isValue(_ token: Token) -> Bool {
        token.quantity != nil || index.names.contains(token.id) || index.vocabulary.group(token.id) != nil
    }

    private func isValue(_ token: Int) -> Bool {
        let word = claim.tokens[token]
        return word.quantity != nil || isName(token) || index.vocabulary.group(word.id) != nil
    }

    /// Whether a token of a window is another value of the same kind.
    private func isRival(_ other: Token, of token: Int) -> Bool {
        let word = claim.tokens[token]
        if let quantity = word.quantity {
            guard let theirs = other.quantity, !theirs.isWeak, !quantity.agrees(with: theirs),
                quantity.isOrdinal == theirs.isOrdinal
            else { return false }
            return quantity.unit?.dimension == theirs.unit?.dimension
        }
        if let group = index.vocabulary.group(word.id) {
            return other.id != word.id && index.vocabulary.group(other.id) == group
        }
        let isName = index.names.contains(other.id) || other.isFirst && !isOrdinary(other)
        return isName && other.id != word.id
    }

    /// Whether a word is written with a small letter somewhere.
    private func isOrdinary(_ token: Token) -> Bool {
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
