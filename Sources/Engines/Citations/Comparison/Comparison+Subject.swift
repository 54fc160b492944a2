extension Comparison {
    /// Whether all that the windows say with the claim's other words stands before the name occurs at all.
    func isUnbound(_ token: Int, _ kind: ValueKind) -> Bool {
        guard kind == .name, let first = matches[token].map({ places[$0].entry }).min() else { return false }
        let others = claim.tokens.indices.filter { $0 != token && claim.weights[$0] > 0 }.flatMap { matches[$0] }
        return !others.isEmpty && others.allSatisfy { places[$0].entry < first }
    }

    /// Whether the windows name a value only as the goal and the claim as the origin, or the reverse; or whether a name that
    /// begins the claim is a goal or an origin in the windows.
    func isTurned(_ token: Int) -> Bool {
        let window = places.map(\.token)
        let theirs = matches[token].map { direction(window, $0) }
        guard let first = theirs.first, let there = first, theirs.allSatisfy({ $0 == first }) else { return false }
        if let here = direction(claim.tokens, token) { return here != there }
        // The window may go on with `he`.
        let entries = Set(matches[token].map { places[$0].entry })
        let isMeant = claim.tokens.indices.dropFirst().contains { other in
            claim.weights[other] > 0 && matches[other].contains { entries.contains(places[$0].entry) }
        }
        return token == 0 && isName(token) && isMeant
            && claim.weights.indices.dropFirst().allSatisfy {
                claim.weights[$0] == 0 || !matches[$0].isEmpty
            }
    }

    /// Whether the word before a token makes it a goal (true) or an origin (false); nil for other words.
    private func direction(_ tokens: [Token], _ place: Int) -> Bool? {
        guard tokens.indices.contains(place - 1), tokens[place - 1].kind == .function else { return nil }
        let word = String(index.vocabulary.names[tokens[place - 1].id].dropFirst())
        return SpecialWords.goals.contains(word) ? true : SpecialWords.origins.contains(word) ? false : nil
    }

    /// Whether the claim says of its first word what a sentence of the windows says of another one.
    ///
    /// The sentence that has most of the claim lacks the claim's first word and begins with a noun that the claim lacks. A
    /// sentence that begins with a pronoun may mean the first word.
    var hasOtherSubject: Bool {
        guard let first = claim.tokens.indices.first(where: { claim.weights[$0] > 0 }), !matches[first].isEmpty else {
            return false
        }
        var shares: [Int: Float] = [:]
        for token in claim.tokens.indices where token != first && claim.weights[token] > 0 {
            for entry in Set(matches[token].map({ places[$0].entry })) {
                shares[entry, default: 0] += claim.weights[token] * strengths[token]
            }
        }
        guard let main = shares.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key,
            !matches[first].contains(where: { places[$0].entry == main })
        else { return false }
        let start = places.filter { $0.entry == main }.prefix(3)
        guard let subject = start.first(where: { $0.token.isContent }) else { return false }
        let isBehindArticle = start.first?.token.isContent == true || start.first.map(isArticle) == true
        return isBehindArticle && !isClaimed(subject.token)
    }

    private func isArticle(_ place: Place) -> Bool {
        SpecialWords.articles.contains(String(index.vocabulary.names[place.token.id].dropFirst()))
    }

    func isClaimed(_ token: Token) -> Bool {
        claim.tokens.indices.contains { claim.strength($0, token) > 0 }
    }
}
