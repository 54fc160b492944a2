/// Whether words of the claim exchange their roles in the windows.
struct RoleCheck: ComparisonCheck {
    let comparison: Comparison

    /// Two words of a clause that exchange their prepositions, or their places around a third one: `the bus is quicker than
    /// the train` for `the train is quicker than the bus`.
    func differences() -> [Difference] {
        for token in claim.tokens.indices where isOwnerOnly(token) || isOwnedByAuthor(token) {
            return [Difference(kind: .exchange, claimed: claim.ranges[token])]
        }
        for clause in claim.text.polarities.indices {
            let tokens = claim.tokens.indices.filter {
                claim.tokens[$0].clause == clause && claim.weights[$0] > 0 && !matches[$0].isEmpty
                    && claim.tokens[$0].quantity == nil
            }.prefix(16)
            for one in tokens {
                for other in tokens
                where other > one && (isSwapped(one, other) || isTurnedComparison(other, behind: one)) {
                    return [Difference(kind: .exchange, claimed: claim.ranges[one])]
                }
            }
        }
        return []
    }

    /// Whether the windows have a name of the claim only as an owner: `Agathe married` for `Agathe's sister married`.
    private func isOwnerOnly(_ token: Int) -> Bool {
        let word = claim.tokens[token]
        guard isName(token) || word.isFirst, !word.isPossessive, word.modifiers.preposition == nil,
            claim.weights[token] > 0, !matches[token].isEmpty
        else { return false }
        return matches[token].allSatisfy { places[$0].token.isPossessive }
    }

    /// `Brenner's cost` for `our cost`.
    private func isOwnedByAuthor(_ token: Int) -> Bool {
        guard claim.tokens[token].isPossessive, isName(token), claim.tokens.indices.contains(token + 1),
            !matches[token + 1].isEmpty
        else { return false }
        return matches[token + 1].allSatisfy { place in
            guard place > 0, index.entries[places[place].entry].speaker == nil else { return false }
            return SpecialWords.authors.contains(index.vocabulary.names[places[place - 1].token.id])
        }
    }

    /// Whether each of two words has the other's preposition in every sentence of the windows that has both.
    private func isSwapped(_ one: Int, _ other: Int) -> Bool {
        let (left, right) = (claim.tokens[one].modifiers.preposition, claim.tokens[other].modifiers.preposition)
        guard left != right else { return false }
        var isFound = false
        for place in matches[one] {
            for second in matches[other] where places[place].entry == places[second].entry {
                guard places[place].token.modifiers.preposition == right,
                    places[second].token.modifiers.preposition == left
                else { return false }
                isFound = true
            }
        }
        return isFound
    }

    /// `quicker than the train` for `the train is quicker`.
    private func isTurnedComparison(_ token: Int, behind adjective: Int) -> Bool {
        guard adjective == lastContent(before: token), claim.tokens[token].modifiers.bound == .than else {
            return false
        }
        var isFound = false
        for place in matches[token] {
            guard places[place].token.modifiers.bound != .than else { return false }
            isFound = isFound || matches[adjective].contains { $0 > place && places[$0].clause == places[place].clause }
        }
        return isFound
    }

    private func lastContent(before token: Int) -> Int? {
        claim.tokens.indices.prefix(token).last { claim.tokens[$0].isContent }
    }
}
