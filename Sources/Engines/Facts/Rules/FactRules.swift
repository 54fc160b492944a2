/// All rules, by the words that they begin with.
enum FactRules {
    private static let all = EnglishRules.all + GermanRules.all

    static let byOpening: [String: [FactRule]] = all.reduce(into: [:]) { index, rule in
        for word in rule.opening { index[word, default: []].append(rule) }
    }

    /// The verbs that may follow a subject in a rule: they begin a clause without a subject of its own.
    static let verbs: Set<String> = {
        var verbs: Set<String> = []
        for rule in all {
            let words = rule.parts.prefix(2).map { part -> [String] in
                if case .words(let words, false) = part { words } else { [] }
            }
            guard words.count == 2, !Set(words[0]).isDisjoint(with: ["i", "ich"]) else { continue }
            verbs.formUnion(words[1])
        }
        return verbs.subtracting(["can", "do", "was", "used"])
    }()
}
