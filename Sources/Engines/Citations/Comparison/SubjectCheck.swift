/// Whether the claim begins with another subject than the sentence that has most of it.
struct SubjectCheck: ComparisonCheck {
    let comparison: Comparison

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

    private func isArticle(_ place: Comparison.Place) -> Bool {
        SpecialWords.articles.contains(String(index.vocabulary.names[place.token.id].dropFirst()))
    }
}
