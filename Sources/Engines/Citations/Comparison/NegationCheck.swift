/// Whether the claim denies what the windows affirm, or the reverse.
struct NegationCheck: ComparisonCheck {
    let comparison: Comparison

    /// Clauses of the claim that deny what the windows affirm, or the reverse.
    ///
    /// The words of a clause vote: a word that the windows have only in clauses of the other polarity is a vote for a
    /// difference, a word that they have in one of the same polarity a vote against.
    func differences() -> [Difference] {
        var found: [Difference] = []
        for (clause, polarity) in claim.text.polarities.enumerated() {
            var same: Float = 0
            var other: Float = 0
            var range: Range<Int>?
            var total: Float = 0
            for token in claim.tokens.indices where claim.tokens[token].clause == clause && !isName(token) {
                total += claim.weights[token]
                guard !matches[token].isEmpty else { continue }
                let theirs = matches[token].map { polarities[places[$0].clause] }
                if theirs.contains(where: polarity.agrees) {
                    same += claim.weights[token]
                } else {
                    other += claim.weights[token]
                }
                range = (range?.lowerBound ?? claim.ranges[token].lowerBound)..<claim.ranges[token].upperBound
            }
            if !isDenialKept(clause), other > same, other + same > 0.4 * total {
                found.append(Difference(kind: .negation, claimed: range))
            }
        }
        for token in claim.tokens.indices where claim.weights[token] > 0 && isDeniedOtherwise(token) {
            found.append(Difference(kind: .negation, claimed: claim.ranges[token]))
        }
        if found.isEmpty, claim.text.polarities.allSatisfy({ !$0.isNegated }), hasLostNegation {
            found.append(Difference(kind: .negation))
        }
        return found
    }

    /// Whether the claim denies a word in a clause that the windows deny, too.
    private func isDenialKept(_ clause: Int) -> Bool {
        claim.tokens.indices.contains { token in
            claim.tokens[token].clause == clause && claim.tokens[token].isDenied
                && matches[token].contains { places[$0].token.isDenied }
        }
    }

    /// Whether a word stands right behind a negation in the claim only, or in the windows only.
    private func isDeniedOtherwise(_ token: Int) -> Bool {
        let polarity = claim.text.polarities[claim.tokens[token].clause]
        let word = claim.tokens[token]
        guard !matches[token].isEmpty, !isName(token), !isValue(word) || word.isPredicate && word.quantity == nil,
            !SpecialWords.vague.contains(index.vocabulary.names[word.id])
        else { return false }
        return matches[token].allSatisfy { place in
            let theirs = polarities[places[place].clause]
            guard !polarity.agrees(with: theirs) else { return false }
            return word.isDenied != places[place].token.isDenied
        }
    }

    /// Whether the claim, which denies nothing, has all words of a clause that the windows deny.
    private var hasLostNegation: Bool {
        let claimed = Set(matches.joined())
        return polarities.indices.contains { clause in
            // A word that denies by its meaning in one of both leaves the matter open.
            let soft = claim.text.polarities.reduce(into: Set<String>()) { $0.formUnion($1.soft) }
            guard polarities[clause].isNegated, polarities[clause].soft == soft else { return false }
            let inside = places.indices.filter {
                places[$0].clause == clause && places[$0].token.isContent && !isValue(places[$0].token)
                    && (!places[$0].token.isFirst || isOrdinary(places[$0].token))
            }
            if inside.count == 1, let only = inside.first, places[only].token.isNounLike { return false }
            let count = inside.count { claimed.contains($0) }
            return count > 0 && (count == inside.count || count > 1 && count * 5 >= inside.count * 3)
        }
    }

    private func isValue(_ token: ComparedToken) -> Bool {
        token.quantity != nil || index.names.contains(token.id)
            || index.vocabulary.group(token.id).map(Opposites.areValues) == true
    }
}
