import Language

/// Whether the windows contradict or lack numbers, dates, names and opposites of the claim.
struct ValueCheck: ComparisonCheck {
    let comparison: Comparison

    /// Numbers, dates, names and opposites of the claim that the windows contradict or lack.
    func differences() -> [(token: Int, difference: Difference)] {
        var found: [(token: Int, difference: Difference)] = []
        let free = places.indices.filter { places[$0].token.isContent && !isClaimed($0) }
        for token in claim.tokens.indices where claim.weights[token] > 0 && strengths[token] == 0 {
            guard let (kind, place) = counterpart(of: token, free) else { continue }
            let difference = Difference(kind: kind, claimed: claim.ranges[token], found: place.map(evidence))
            found.append((token, difference))
        }
        return found
    }

    /// How a token that the windows lack differs, and from which place; nil when it is an ordinary word.
    ///
    /// - Parameter free: Places of the windows that the claim does not mention.
    private func counterpart(of token: Int, _ free: [Int]) -> (kind: Difference.Kind, place: Int?)? {
        let word = claim.tokens[token]
        if let quantity = word.quantity { return counterpart(of: quantity, token, free) }
        if let group = index.vocabulary.group(word.id) {
            let isDate = SpecialWords.isDate(index.vocabulary.names[word.id])
            let place = free.first {
                index.vocabulary.group(places[$0].token.id) == group && (isDate || isBesideClaimed($0))
            }
            return place.map { (isDate ? .date : .opposite, $0) }
        }
        let name = free.first { index.names.contains(places[$0].token.id) }
        if isName(token) { return (name == nil ? .addition : .name, name) }
        // `Ruth paid` for `Owen paid`
        let isOnly = word.isFirst && index.language != .german && missing == [token]
        let first = free.first { places[$0].token.isFirst && !isOrdinary(places[$0].token) }
        return isOnly ? (name ?? first).map { (.name, $0) } : nil
    }

    private func counterpart(
        of quantity: ComparedQuantity, _ token: Int, _ free: [Int]
    ) -> (kind: Difference.Kind, place: Int?) {
        let sameNumber = places.indices.first { place in
            places[place].token.quantity.map { quantity.differsInUnit(from: $0) } ?? false
        }
        if let sameNumber { return (.unit, sameNumber) }
        let others = free.filter { place in
            guard let other = places[place].token.quantity, !other.isWeak else { return false }
            guard let unit = quantity.unit, let theirs = other.unit else { return true }
            return unit.dimension == theirs.dimension
        }
        guard let first = others.first else { return (.addition, nil) }
        let sameUnit = others.first { places[$0].token.quantity?.unit?.dimension == quantity.unit?.dimension }
        return (isNextToMonth(token) ? .date : .number, sameUnit ?? first)
    }

    private func evidence(_ place: Int) -> CitationEvidence {
        let passage = index.spans.firstIndex { $0.contains(places[place].entry) } ?? 0
        return CitationEvidence(passage: index.citedAs[passage], range: places[place].token.range)
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
