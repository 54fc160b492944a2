import Goals

extension OperatorQuery: CustomStringConvertible {
    /// The query as a text that reads as an equal one: words and phrases, choices, what is excluded, filters, days.
    package var description: String {
        var parts = terms.map(Self.text)
        parts += choices.map { $0.map(Self.text).joined(separator: " OR ") }
        parts += excluded.map { "-" + Self.text($0) }
        parts += filters.map { "\($0.isExcluded ? "-" : "")\($0.name.rawValue):\(Self.value($0.value))" }
        parts += Self.text(kinds).map { ["from:\($0)"] } ?? []
        parts += Self.text(excludedKinds).map { ["-from:\($0)"] } ?? []
        if let days {
            parts.append("on:\(days.first?.description ?? "")..\(days.last?.description ?? "")")
        }
        return parts.joined(separator: " ")
    }

    private static func text(_ term: Term) -> String {
        switch term {
        case .word(let text): text
        case .phrase(let text): "\"\(text)\""
        }
    }

    private static func value(_ value: String) -> String {
        value.unicodeScalars.contains { $0.properties.isWhitespace } ? "\"\(value)\"" : value
    }

    private static func text(_ kinds: Set<Kind>) -> String? {
        kinds.isEmpty ? nil : "(\(kinds.map(\.rawValue).sorted().joined(separator: "|")))"
    }
}
