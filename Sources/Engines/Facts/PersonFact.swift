/// Something that a person said about themselves: where they live, what they like, what they plan.
package struct PersonFact: Sendable, Hashable {
    /// What a fact is about.
    package enum Kind: String, Sendable, CaseIterable {
        case name, place, work, family, preference, date, health, plan, tool, language, interest, habit, note

        /// The type of the memory that keeps such a fact.
        package var memoryType: String {
            switch self {
            case .preference: "preference"
            case .habit: "pattern"
            case .plan, .note: "context"
            case .name, .place, .work, .family, .date, .health, .tool, .language, .interest: "fact"
            }
        }
    }

    /// Whether a fact holds from now on, or no longer.
    package enum Change: String, Sendable {
        case holds, ended
    }

    /// The most facts of one text.
    package static let maxFacts = 24
    /// The longest text that is read, in UTF-8 bytes.
    package static let maxTextBytes = 16 << 10
    /// The longest sentence that is read, in UTF-8 bytes.
    package static let maxSentenceBytes = 600

    /// What the fact is about.
    package var kind: Kind
    /// The subject: facts with the same key speak of the same thing, such as `home` or `family.sister`.
    package var key: String
    /// What is said of the subject, folded for comparison.
    package var value: String
    /// The fact as a short text in the language of the sentence.
    package var content: String
    /// How sure it is, 0 to 1.
    package var confidence: Double
    /// Whether the subject has one value at a time: a new one replaces the old.
    package var isSingle: Bool
    /// Whether it holds from now on.
    package var change: Change
    /// The sentence's UTF-8 bytes in the text.
    package var range: Range<Int>
    /// The sentence.
    package var source: String

    package init(
        kind: Kind, key: String, value: String, content: String, confidence: Double, isSingle: Bool,
        change: Change = .holds, range: Range<Int>, source: String
    ) {
        self.kind = kind
        self.key = key
        self.value = value
        self.content = content
        self.confidence = confidence
        self.isSingle = isSingle
        self.change = change
        self.range = range
        self.source = source
    }
}
