import Text

/// What is known already, for the comparison with a new fact.
package struct KnownFact: Sendable {
    /// The memory's id.
    package var id: Int64
    /// See ``PersonFact/key``; nil for a memory whose subject could not be read.
    package var key: String?
    /// See ``PersonFact/value``.
    package var value: String
    /// The text.
    package var content: String

    package init(id: Int64, key: String?, value: String, content: String) {
        self.id = id
        self.key = key
        self.value = value
        self.content = content
    }
}

/// What becomes of a new fact.
package enum FactDecision: Sendable, Hashable {
    /// It is new.
    case add
    /// It says more of the same than a memory, which gets its text.
    case update(Int64)
    /// It replaces memories, for a reason.
    case supersede([Int64], reason: String)
    /// Memories no longer hold, and nothing takes their place.
    case end([Int64], reason: String)
    /// It is known; nil for the end of something that was not known.
    case nothing(Int64?)
}

/// Compares new facts with what is known.
package enum FactMerge {
    /// The cosine from which two texts say the same.
    package static let nearCosine = 0.93
    /// The kinds whose facts differ by a name or a number, which vectors hardly tell apart.
    private static let exactKinds: Set<PersonFact.Kind> = [.name, .place, .work, .family, .date, .language, .note]

    /// Decides about a fact.
    ///
    /// - Parameters:
    ///   - known: What is remembered.
    ///   - cosines: How alike memories and the fact are, by id; empty without vectors.
    package static func decide(
        _ fact: PersonFact, known: [KnownFact], cosines: [Int64: Double] = [:]
    ) -> FactDecision {
        let same = known.filter { $0.key == fact.key }
        if fact.change == .ended {
            let ended = fact.kind == .preference ? of(fact, known) : same.filter { isSame($0.value, fact.value) }
            guard !ended.isEmpty else { return .nothing(nil) }
            return .end(ended.map(\.id), reason: "no longer holds")
        }
        if let one = same.first(where: { isSame($0.value, fact.value) }) { return .nothing(one.id) }
        if let one = same.first(where: { contains($0.value, fact.value) }) { return .nothing(one.id) }
        if let one = same.first(where: { contains(fact.value, $0.value) }) { return .update(one.id) }
        if fact.isSingle, !same.isEmpty {
            return .supersede(same.map(\.id), reason: "replaced by \"\(fact.content)\"")
        }
        // Memories that a person or another program wrote, whose subject is unknown.
        let words = Set(ContentWords.of(fact.content))
        if words.count >= 2,
            let one = known.first(where: { $0.key == nil && words.isSubset(of: ContentWords.of($0.content)) })
        {
            return .nothing(one.id)
        }
        guard !exactKinds.contains(fact.kind) else { return .add }
        let near = known.first { one in
            guard let cosine = cosines[one.id], cosine >= nearCosine else { return false }
            // "Likes tea" and "Dislikes tea" are alike, too.
            return one.key == nil || one.value == fact.value || fact.kind != .preference
        }
        return near.map { .nothing($0.id) } ?? .add
    }

    /// What is liked or not of a subject, and of a narrower one: "strong coffee" with "coffee".
    private static func of(_ fact: PersonFact, _ known: [KnownFact]) -> [KnownFact] {
        known.filter { one in
            guard let key = one.key, key.hasPrefix("preference.") else { return false }
            return key == fact.key || one.value == fact.value && contains(key, fact.key)
        }
    }

    private static func isSame(_ known: String, _ new: String) -> Bool { known == new }

    /// Whether a value has all words of another one, and more.
    private static func contains(_ whole: String, _ part: String) -> Bool {
        let (whole, part) = (Set(ContentWords.of(whole)), Set(ContentWords.of(part)))
        return !part.isEmpty && part.isSubset(of: whole) && part != whole
    }
}

/// The words of a text that carry it.
enum ContentWords {
    private static let empty: Set<String> = [
        "the", "a", "an", "of", "in", "at", "to", "is", "and", "as", "for", "der", "die", "das", "den", "dem", "in",
        "im", "bei",
        "und", "als", "zu", "user", "author", "person", "nutzer", "likes", "lives", "works", "uses", "mag", "wohnt",
        "arbeitet",
        "she", "he", "they", "has", "hat",
    ]

    static func of(_ text: String) -> [String] {
        TextFolding.folded(text).split { !$0.isLetter && !$0.isNumber }.map(String.init).filter { !empty.contains($0) }
    }
}
