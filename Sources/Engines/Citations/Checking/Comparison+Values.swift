extension Comparison {
    /// Numbers, dates, names and opposites of the claim that the windows contradict or lack.
    func valueDifferences() -> [(token: Int, difference: Difference)] {
        var found: [(token: Int, difference: Difference)] = []
        let free = places.indices.filter { places[$0].token.isContent && !isClaimed($0) }
        for token in claim.tokens.indices where claim.weights[token] > 0 && strengths[token] == 0 {
            guard let kind = kind(of: token, free) else { continue }
            found.append((token, Difference(kind: kind, claimed: claim.ranges[token])))
        }
        return found
    }

    /// How a token that the windows lack differs; nil when it is an ordinary word.
    ///
    /// - Parameter free: Places of the windows that the claim does not mention.
    private func kind(of token: Int, _ free: [Int]) -> Difference.Kind? {
        let word = claim.tokens[token]
        if let quantity = word.quantity {
            if places.contains(where: { $0.token.quantity.map { quantity.differsInUnit(from: $0) } ?? false }) {
                return .unit
            }
            let isCountered = free.contains { place in
                guard let other = places[place].token.quantity, !other.isWeak else { return false }
                guard let unit = quantity.unit, let theirs = other.unit else { return true }
                return unit.dimension == theirs.dimension
            }
            return isCountered ? isNextToMonth(token) ? .date : .number : .addition
        }
        if let group = index.vocabulary.group(word.id) {
            let isDate = SpecialWords.isDate(index.vocabulary.names[word.id])
            let isCountered = free.contains {
                index.vocabulary.group(places[$0].token.id) == group && (isDate || isBesideClaimed($0))
            }
            return isCountered ? isDate ? .date : .opposite : nil
        }
        guard isName(token) else {
            // `Ruth paid` for `Owen paid`
            let isOnly = word.isFirst && index.language != .german && missing == [token]
            return isOnly && free.contains { index.names.contains(places[$0].token.id) } ? .name : nil
        }
        return free.contains { index.names.contains(places[$0].token.id) } ? .name : .addition
    }

    /// Whether the clause of a place has words of the claim.
    private func isBesideClaimed(_ place: Int) -> Bool {
        places.indices.contains { places[$0].clause == places[place].clause && $0 != place && isClaimed($0) }
    }

    private func isNextToMonth(_ token: Int) -> Bool {
        [token - 1, token + 1].contains { neighbour in
            claim.tokens.indices.contains(neighbour)
                && SpecialWords.isMonth(index.vocabulary.names[claim.tokens[neighbour].id])
        }
    }
}
