import Language

/// A form of sentence that states a fact, such as `i live in <place>`.
///
/// A pattern has words, alternatives (`live|stay`), words that may be absent (`?just`) and values (`<place>`).
struct FactRule: Sendable {
    /// A part of a pattern.
    enum Part: Sendable {
        case words([String], optional: Bool)
        case value(ValueShape)
    }

    let parts: [Part]
    let kind: PersonFact.Kind
    /// The subject; `{v}` and `{w}` stand for the first and the second value.
    let key: String
    /// The value; see ``key``.
    let value: String
    /// The text; values as they are written.
    let content: String
    var isSingle = false
    var confidence = 0.85
    /// Whether `tea and coffee` states two facts.
    var hasLists = false
    var change = PersonFact.Change.holds
    /// Other facts that the same sentence states; their patterns are not used.
    private(set) var others: [FactRule] = []

    init(
        _ pattern: String, _ kind: PersonFact.Kind, _ key: String, _ content: String, value: String = "{v}",
        single: Bool = false, lists: Bool = false, confidence: Double = 0.85, ended: Bool = false
    ) {
        parts = pattern.split(separator: " ").map { word in
            if word.hasPrefix("<") { return .value(ValueShape(String(word.dropFirst().dropLast()))) }
            let isOptional = word.hasPrefix("?")
            let words = (isOptional ? word.dropFirst() : word).split(separator: "|").map(String.init)
            return .words(words, optional: isOptional)
        }
        self.kind = kind
        self.key = key
        self.value = value
        self.content = content
        isSingle = single
        hasLists = lists
        self.confidence = confidence
        change = ended ? .ended : .holds
    }

    /// The rule with another fact that its values state.
    func and(_ other: FactRule) -> FactRule {
        var rule = self
        rule.others.append(other)
        return rule
    }

    /// The words that a sentence needs for the rule to be tried.
    var opening: [String] {
        for part in parts { if case .words(let words, false) = part { return words } }
        return []
    }
}

struct RuleMatch {
    /// The tokens.
    var range: Range<Int>
    /// The values in order; the first one may be a list.
    var values: [ReadValue]
    /// The last word before the first value, such as a preposition.
    var lead: String
}

extension FactRule {
    /// Words that may stand anywhere in a pattern.
    static let fillers = WordList.plain(
        """
        now also currently actually really still just always already recently absolutely finally personally generally \
        honestly simply totally both very mostly jetzt auch gerade eigentlich wirklich immer noch derzeit zurzeit \
        momentan schon inzwischen mittlerweile nun ja übrigens aktuell total total wieder seitdem endlich kürzlich \
        neulich halt eben ganz sehr ehrlich nämlich heute überwiegend persönlich
        """)

    /// Matches the rule at a token; nil when the words differ.
    func match(_ tokens: [TextWord], at start: Int, reader: ValueReader) -> RuleMatch? {
        var place = start
        var values: [ReadValue] = []
        var lead = ""
        for (index, part) in parts.enumerated() {
            switch part {
            case .words(let words, let isOptional):
                var next = place
                if index > 0 {
                    while next < place + 2, !words.contains(tokens.word(next)), Self.fillers.contains(tokens.word(next))
                    {
                        next += 1
                    }
                }
                if words.contains(where: { Self.matches($0, tokens.word(next)) }) {
                    place = next + 1
                    if values.isEmpty { lead = tokens.word(next) }
                } else if !isOptional {
                    return nil
                }
            case .value(let shape):
                var next = place
                while next < place + 2, Self.fillers.contains(tokens.word(next)), !shape.takes(tokens.word(next)) {
                    next += 1
                }
                var ends: [String] = []
                if index + 1 < parts.count, case .words(let words, _) = parts[index + 1] { ends = words }
                guard let value = reader.read(shape, tokens, at: next, ends: ends) else { return nil }
                values.append(value)
                place = value.tokens.upperBound
            }
        }
        return RuleMatch(range: start..<place, values: values, lead: lead)
    }

    /// Whether a word of a pattern is the word of a sentence; `lieblings*` and `*allergie` match by their ends.
    private static func matches(_ pattern: String, _ word: String) -> Bool {
        if pattern.hasSuffix("*") { return word.hasPrefix(pattern.dropLast()) && word.count >= pattern.count }
        return pattern == word
    }
}
