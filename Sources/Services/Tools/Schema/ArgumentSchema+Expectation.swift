extension ArgumentSchema {
    /// The maximum number of `enum` values in a message.
    private static let namedValues = 24

    /// A phrase for a valid value in messages: `an integer from 1 to 50`.
    var expectation: String {
        guard allowed.isEmpty else {
            let named = allowed.prefix(Self.namedValues).map { Excerpt.of($0) }.joined(separator: ", ")
            return "one of \(named)" + (allowed.count > Self.namedValues ? ", …" : "")
        }
        return switch shape {
        case .object: "an object"
        case .array(_, let limits): "an array" + limits.phrase("of", unit: "elements")
        case .string(let limits): "a string" + limits.phrase("of", unit: "characters")
        case .integer(let limits): "an integer" + limits.phrase("from")
        case .number(let limits): "a number" + limits.phrase("from")
        case .boolean: "true or false"
        case .anything: "a value"
        }
    }
}

extension ArgumentSchema.Limits {
    fileprivate func phrase(_ preposition: String, unit: String = "") -> String {
        let unit = unit.isEmpty ? "" : " " + unit
        return switch (least, most) {
        case (let least?, let most?): " \(preposition) \(least) to \(most)\(unit)"
        case (let least?, nil): " of at least \(least)\(unit)"
        case (nil, let most?): " of at most \(most)\(unit)"
        case (nil, nil): ""
        }
    }
}
