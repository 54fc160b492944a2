import Language

/// What a value is, for asking which value the passage puts beside the same words.
enum ValueKind: Equatable {
    case name
    case number(NamedUnit.Measure?, isOrdinal: Bool)
    case year
    case day
    /// One of the meanings of a set of ``Opposites``.
    case member(Int)
}

extension BindingCheck {
    /// Whether one kind has the values that another one's are compared with.
    func isSame(_ one: ValueKind, _ other: ValueKind) -> Bool {
        guard case .number(let unit, let isOrdinal) = one, case .number(let theirs, let isTheirs) = other else {
            return one == other
        }
        // `7 euros, for children 3.50`
        return isOrdinal == isTheirs && (unit == theirs || unit?.isMoney == true && theirs == nil)
    }

    /// The kind of a token of the claim; nil when it is no value.
    func kind(_ token: Int) -> ValueKind? {
        let word = claim.tokens[token]
        if let quantity = word.quantity {
            guard !quantity.isWeak else { return nil }
            if isBesideMonth(claim.tokens, token) { return .day }
            let unit = quantity.unit ?? matches[token].lazy.compactMap { places[$0].token.quantity?.unit }.first
            return numberKind(quantity, unit?.dimension)
        }
        if let group = index.vocabulary.group(word.id), Opposites.keepOut(group) { return .member(group) }
        return isName(token) ? .name : nil
    }

    /// The kind of a place of the windows; nil when it is no value.
    func kind(at place: Int) -> ValueKind? {
        let token = places[place].token
        if let quantity = token.quantity {
            if [place - 1, place + 1].contains(where: { places.indices.contains($0) && isMonth(places[$0].token) }) {
                return .day
            }
            return quantity.isWeak ? nil : numberKind(quantity, quantity.unit?.dimension)
        }
        if let group = index.vocabulary.group(token.id), Opposites.keepOut(group) { return .member(group) }
        return index.names.contains(token.id) || token.isFirst && !isOrdinary(token) ? .name : nil
    }

    private func isBesideMonth(_ tokens: [ComparedToken], _ place: Int) -> Bool {
        [place - 1, place + 1].contains { tokens.indices.contains($0) && isMonth(tokens[$0]) }
    }

    private func isMonth(_ token: ComparedToken) -> Bool { SpecialWords.isMonth(index.vocabulary.names[token.id]) }

    private func numberKind(_ quantity: ComparedQuantity, _ unit: NamedUnit.Measure?) -> ValueKind {
        let isYear = unit == nil && (1000...2100).contains(quantity.value) && quantity.value == quantity.value.rounded()
        return isYear ? .year : .number(unit, isOrdinal: quantity.isOrdinal)
    }
}
