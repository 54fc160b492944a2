import Language

/// Whether the claim is on the other side of a time, an amount or an exception.
struct ScopeCheck: ComparisonCheck {
    let comparison: Comparison

    /// Words that the windows have only on the other side of a time or an amount, or only as an exception.
    func differences() -> [Difference] {
        claim.tokens.indices.filter { claim.weights[$0] > 0 && !matches[$0].isEmpty && !isVague(claim.tokens[$0]) }
            .filter { isBoundOtherwise($0) || isTimedOtherwise($0) || isExceptedOtherwise($0) }
            .map { Difference(kind: .opposite, claimed: claim.ranges[$0]) }
    }

    private func isVague(_ token: ComparedToken) -> Bool {
        SpecialWords.vague.contains(index.vocabulary.names[token.id])
    }

    /// `before breakfast` for `after breakfast`, `zero` for `above zero`.
    private func isBoundOtherwise(_ token: Int) -> Bool {
        let own = claim.tokens[token].modifiers.bound
        let theirs = matches[token].map { places[$0].token.modifiers.bound }
        if own == nil, theirs.allSatisfy({ $0 == .opposing }) {
            return !claim.text.traits.contains(.negation)
                && !claim.tokens.contains { $0.modifiers.bound == .opposing }
        }
        if let own { return theirs.allSatisfy { $0.map(own.excludes) ?? false } }
        // Numbers of time may be `over` a time.
        guard let quantity = claim.tokens[token].quantity, quantity.unit?.dimension != .time else { return false }
        return theirs.allSatisfy { $0 == .above || $0 == .below }
    }

    /// `before Easter` for `until Easter. … after that`: the sentence with the other words is on the other side.
    private func isTimedOtherwise(_ token: Int) -> Bool {
        guard let own = claim.tokens[token].modifiers.bound, own == .before || own == .after else { return false }
        let others = claim.tokens.indices.filter {
            claim.tokens[$0].clause == claim.tokens[token].clause && $0 != token && claim.weights[$0] > 0
        }
        guard let best = bestClause(for: others), best.share > 0.6,
            !matches[token].contains(where: { places[$0].entry == best.entry })
        else { return false }
        let bounds = places.filter { $0.clause == best.clause }.compactMap(\.token.modifiers.bound)
        return bounds.contains(where: own.excludes)
    }

    /// Whether the claim says of a word what the windows say of all others, or the reverse.
    private func isExceptedOtherwise(_ token: Int) -> Bool {
        let isExcepted = claim.tokens[token].modifiers.isExcepted
        return matches[token].allSatisfy { place in
            guard places[place].token.modifiers.isExcepted != isExcepted else { return false }
            return !isExcepted
                || claim.tokens.indices.contains { other in
                    other != token && matches[other].contains { places[$0].clause == places[place].clause }
                }
        }
    }
}
