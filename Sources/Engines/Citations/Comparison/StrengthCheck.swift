/// Whether the claim is stronger than the windows.
struct StrengthCheck: ComparisonCheck {
    let comparison: Comparison

    /// What makes the claim stronger than the windows.
    func differences() -> [Difference] {
        let entries = Set(bestClauses.compactMap { $0?.entry })
        let traits = entries.map { index.entries[$0].text.traits }
        let pairs: [(WordTraits, WordTraits, Difference.Kind)] = [
            (.sweeping, [.sweeping, .sweepingHint], .sweeping),
            (.causal, [.causal, .causalHint], .cause),
            (.exclusive, [.exclusive, .exclusiveHint], .sweeping),
        ]
        var found: [Difference] = []
        let hasException = claim.tokens.contains(where: \.modifiers.isExcepted)
        for (own, theirs, kind) in pairs
        where !(own == .sweeping && hasException) && claim.text.traits.contains(own)
            && traits.allSatisfy({ $0.isDisjoint(with: theirs) })
        {
            found.append(Difference(kind: kind))
        }
        let isRestricted = traits.contains { $0.contains(.exclusive) }
        if isRestricted, claim.text.traits.isDisjoint(with: [.exclusive, .exclusiveHint]) {
            found.append(Difference(kind: .sweeping))
        }
        if isExceptionTurned { found.append(Difference(kind: .negation)) }
        if isConditionLost || isDoubtLost || isComparisonAdded { found.append(Difference(kind: .sweeping)) }
        return found
    }

    /// `if a pattern is given` for `unless a pattern is given`.
    private var isExceptionTurned: Bool {
        let own = claim.text.polarities
        guard own.contains(where: \.isConditional), own.allSatisfy({ !$0.isNegated && $0.soft.isEmpty }) else {
            return false
        }
        return own.indices.contains { clause in
            guard own[clause].isConditional, let best = bestClauses[clause] else { return false }
            return index.entries[best.entry].text.polarities.contains { $0.soft.contains("unless") }
        }
    }

    /// Whether the windows say only under a condition what the claim says without one.
    private var isConditionLost: Bool {
        guard !claim.text.polarities.contains(where: \.isConditional),
            claim.text.traits.isDisjoint(with: [.hedge, .hedgeHint])
        else { return false }
        return claim.text.polarities.indices.contains { clause in
            guard let best = bestClauses[clause] else { return false }
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
        let entries = Set(bestClauses.compactMap { $0?.entry })
        return entries.contains { index.entries[$0].text.traits.contains(.hedge) }
    }
}
