extension Comparison {
    /// What makes the claim stronger than the windows.
    func overstatements() -> [Difference] {
        let entries = Set(claim.text.polarities.indices.compactMap { bestClause(for: $0)?.entry })
        let traits = entries.map { index.entries[$0].text.traits }
        let pairs: [(WordTraits, WordTraits, Difference.Kind)] = [
            (.sweeping, [.sweeping, .sweepingHint], .sweeping),
            (.causal, [.causal, .causalHint], .cause),
            (.exclusive, [.exclusive, .exclusiveHint], .sweeping),
        ]
        var found: [Difference] = []
        for (own, theirs, kind) in pairs
        where claim.text.traits.contains(own) && traits.allSatisfy({ $0.isDisjoint(with: theirs) }) {
            found.append(Difference(kind: kind))
        }
        if isConditionLost || isDoubtLost || isComparisonAdded { found.append(Difference(kind: .sweeping)) }
        return found
    }

    /// Whether the windows say only under a condition what the claim says without one.
    private var isConditionLost: Bool {
        guard !claim.text.polarities.contains(where: \.isConditional),
            claim.text.traits.isDisjoint(with: [.hedge, .hedgeHint])
        else { return false }
        return claim.text.polarities.indices.contains { clause in
            guard let best = bestClause(for: clause) else { return false }
            return polarities[best.clause].isConditional && best.share > 0.6
        }
    }

    /// Whether the claim compares by a word that the windows lack: `less risky than the green fund`.
    private var isComparisonAdded: Bool {
        claim.tokens.contains { $0.modifiers.bound == .than && $0.isContent && $0.quantity == nil }
            && missing.contains { claim.tokens[$0].isComparative }
    }

    /// Whether the windows leave open what the claim asserts.
    private var isDoubtLost: Bool {
        guard claim.text.traits.isDisjoint(with: [.hedge, .hedgeHint]) else { return false }
        let entries = Set(claim.text.polarities.indices.compactMap { bestClause(for: $0)?.entry })
        return entries.contains { index.entries[$0].text.traits.contains(.hedge) }
    }

    /// The clause of the windows that has most of a clause of the claim, and how much.
    private func bestClause(for clause: Int) -> (clause: Int, entry: Int, share: Float)? {
        bestClause(for: claim.tokens.indices.filter { claim.tokens[$0].clause == clause && claim.weights[$0] > 0 })
    }

    /// The clause of the windows that has most of some tokens of the claim, and how much by weight.
    func bestClause(for tokens: [Int]) -> (clause: Int, entry: Int, share: Float)? {
        var shares: [Int: Float] = [:]
        var entries: [Int: Int] = [:]
        var total: Float = 0
        for token in tokens {
            total += claim.weights[token]
            for place in Set(matches[token].map { places[$0].clause }) { shares[place, default: 0] += claim.weights[token] }
            for place in matches[token] { entries[places[place].clause] = places[place].entry }
        }
        guard let best = shares.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), let entry = entries[best.key],
            total > 0
        else { return nil }
        return (best.key, entry, best.value / total)
    }
}
