/// Whether the claim says of one name or noun what the windows say of another.
struct ActorCheck: ComparisonCheck {
    let comparison: Comparison

    /// Clauses of the claim that are looked at.
    private static let maxClauses = 16
    /// Clauses of a sentence that are looked through for a subject.
    private static let maxDistance = 8

    /// Clauses of the claim that say of one name or noun what a clause of the windows says of another.
    ///
    /// The first noun of a clause without a preposition counts as its subject. A clause of the windows without one shares
    /// that of the clause before it, within the sentence.
    func differences() -> [Difference] {
        claim.text.polarities.indices.prefix(Self.maxClauses).compactMap { clause in
            guard let actor = actor(ofClause: clause) else { return nil }
            let others = claim.tokens.indices.filter {
                claim.tokens[$0].clause == clause && !actor.contains($0) && claim.weights[$0] > 0
            }
            guard let theirs = bestClause(for: others), theirs.share > 0.6,
                let subject = subject(ofClause: theirs.clause, entry: theirs.entry, besides: others)
            else { return nil }
            let isKnown = actor.contains { token in
                matches[token].contains {
                    places[$0].entry == theirs.entry && places[$0].clause <= theirs.clause
                        && (places[$0].clause == theirs.clause || !isPronoun(subject.token))
                }
            }
            guard !isKnown || antecedent(ofClause: theirs.clause).map({ !isActor(actor, $0.token) }) == true,
                !claim.tokens.indices.contains(where: {
                    claim.tokens[$0].clause == clause && claim.strength($0, subject.token) > 0
                })
            else { return nil }
            let isName = actor.contains { self.isName($0) || index.speakers.contains(claim.tokens[$0].id) }
            // A noun that the passage has elsewhere is someone else, another noun may be another word for the same.
            let isSame = isName == (isNamed(subject.token) || isPronoun(subject.token))
            guard isName && isSame || actor.allSatisfy({ !matches[$0].isEmpty }) else { return nil }
            return Difference(kind: .exchange, claimed: actor.first.map { claim.ranges[$0] })
        }
    }

    private func isActor(_ actor: Range<Int>, _ token: ComparedToken) -> Bool {
        actor.contains { claim.strength($0, token) > 0 }
    }

    /// The tokens of the noun that a clause of the claim begins with.
    private func actor(ofClause clause: Int) -> Range<Int>? {
        let tokens = claim.tokens.indices.filter { claim.tokens[$0].clause == clause && claim.tokens[$0].isContent }
        guard let first = tokens.first(where: { claim.tokens[$0].modifiers.preposition == nil }),
            isNoun(claim.tokens[first]), claim.weights[first] > 0 || isName(first)
        else { return nil }
        var end = first + 1
        while end < claim.tokens.count, isName(first), isName(end), claim.tokens[end].clause == clause { end += 1 }
        return first..<end
    }

    /// The first noun of a clause of the windows, or of the clauses before it in its sentence.
    ///
    /// - Parameter others: Tokens of the claim that are no subject: a clause that begins with one of them has none.
    private func subject(ofClause clause: Int, entry: Int, besides others: [Int]) -> Comparison.Place? {
        let claimed = Set(others.flatMap { matches[$0] })
        if let place = author(ofClause: clause, entry: entry) ?? antecedent(ofClause: clause) { return place }
        for clause in stride(from: clause, through: max(0, clause - Self.maxDistance), by: -1) {
            let tokens = places.indices.filter {
                places[$0].clause == clause && places[$0].entry == entry && places[$0].token.isContent
            }
            guard !tokens.isEmpty else { break }
            let bare = tokens.first { places[$0].token.modifiers.preposition == nil }
            if let bare, !claimed.contains(bare), isNoun(places[bare].token) {
                // `his wife Mathilde`
                let next = tokens.first { $0 > bare }
                guard let next, next == bare + 1, isNamed(places[next].token), !isNamed(places[bare].token),
                    !claimed.contains(next)
                else { return places[bare] }
                return places[next]
            }
            if let bare, claimed.contains(bare), isNoun(places[bare].token) { return nil }
        }
        return nil
    }

    /// The speaker, or the author of a note, who has no name in it; nil when a clause does not speak of itself.
    private func author(ofClause clause: Int, entry: Int) -> Comparison.Place? {
        guard let pronoun = places.first(where: { $0.clause == clause && isPronoun($0.token) }) else { return nil }
        guard let speaker = index.entries[entry].speaker else { return pronoun }
        return Comparison.Place(token: speaker, clause: clause, entry: entry, position: pronoun.position)
    }

    /// The last name before a clause that begins with `who`.
    private func antecedent(ofClause clause: Int) -> Comparison.Place? {
        guard let first = places.first(where: { $0.clause == clause }),
            index.vocabulary.names[first.token.id] == ".who"
        else { return nil }
        return places.last {
            $0.clause == clause - 1 && isNamed($0.token) && $0.entry == first.entry && !isClaimed($0.token)
        }
    }

    private func isPronoun(_ token: ComparedToken) -> Bool {
        SpecialWords.isFirstPerson(index.vocabulary.names[token.id])
    }

    private func isNoun(_ token: ComparedToken) -> Bool {
        token.quantity == nil && (token.isName || token.isNounLike || isNamed(token))
    }

    private func isNamed(_ token: ComparedToken) -> Bool {
        token.isName || index.names.contains(token.id) || index.speakers.contains(token.id)
            || token.isFirst && !isOrdinary(token)
    }
}
