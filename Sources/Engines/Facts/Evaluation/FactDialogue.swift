/// What a person wrote in a conversation, with what should be known of them at its end.
package struct FactDialogue: Codable, Sendable {
    /// A fact by its subject and value.
    package struct Label: Codable, Sendable, Hashable {
        package var key: String
        /// The value; a part of it suffices.
        package var value: String
    }

    package var id: String
    /// `en` or `de`.
    package var language: String
    /// Whether the dialogue was kept back while the rules were written.
    package var heldOut: Bool
    /// The person's messages, oldest first.
    package var turns: [String]
    /// What holds at the end.
    package var facts: [Label]
    /// What was said and must not be known at the end: it was corrected, or it is of somebody else.
    package var wrong: [Label]

    private enum CodingKeys: String, CodingKey {
        case id, language
        case heldOut = "held_out"
        case turns, facts, wrong
    }

    /// Decodes a dialogue; absent lists are empty.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        language = try container.decode(String.self, forKey: .language)
        heldOut = try container.decodeIfPresent(Bool.self, forKey: .heldOut) ?? false
        turns = try container.decode([String].self, forKey: .turns)
        facts = try container.decodeIfPresent([Label].self, forKey: .facts) ?? []
        wrong = try container.decodeIfPresent([Label].self, forKey: .wrong) ?? []
    }
}

/// How well the facts of dialogues were found and merged.
package struct FactScore: Sendable, Codable {
    package var dialogues = 0
    /// The facts that hold, by the labels.
    package var labelled = 0
    /// Labelled facts that are known at the end.
    package var found = 0
    /// Facts that are known at the end and not labelled.
    package var unlabelled = 0
    /// Facts that say a second time what another one says.
    package var duplicates = 0
    /// The facts that must not be known.
    package var wrong = 0
    /// Those of them that are not known.
    package var resolved = 0
    /// What was missed, and what is known without reason.
    package var misses: [String] = []

    package var precision: Double { Double(found) / Double(max(1, found + unlabelled + duplicates)) }
    package var recall: Double { Double(found) / Double(max(1, labelled)) }
    /// The share of corrected facts, and of those of others, that are not known.
    package var resolution: Double { Double(resolved) / Double(max(1, wrong)) }

    /// Reads dialogues and compares what is known at their ends with the labels.
    package init(_ dialogues: [FactDialogue]) {
        for dialogue in dialogues { add(dialogue) }
    }

    private mutating func add(_ dialogue: FactDialogue) {
        dialogues += 1
        var known = FactLedger.facts(of: dialogue.turns)
        labelled += dialogue.facts.count
        for label in dialogue.facts {
            guard let place = known.firstIndex(where: { Self.matches($0, label) }) else {
                misses.append("\(dialogue.id) missed: \(label.key) = \(label.value)")
                continue
            }
            found += 1
            known.remove(at: place)
            let again = known.filter { Self.matches($0, label) }
            duplicates += again.count
            misses += again.map { "\(dialogue.id) twice: \($0.key ?? "-") = \($0.value)" }
            known.removeAll { Self.matches($0, label) }
        }
        wrong += dialogue.wrong.count
        for label in dialogue.wrong {
            if known.contains(where: { Self.matches($0, label) }) {
                misses.append("\(dialogue.id) still known: \(label.key) = \(label.value)")
            } else {
                resolved += 1
            }
        }
        unlabelled += known.count
        misses += known.map { "\(dialogue.id) unlabelled: \($0.key ?? "-") = \($0.value) (\($0.content))" }
    }

    private static func matches(_ fact: KnownFact, _ label: FactDialogue.Label) -> Bool {
        fact.key == label.key && fact.value.contains(label.value.lowercased())
    }
}

/// What is known after some messages, by the rules alone.
package enum FactLedger {
    package static func facts(of turns: [String]) -> [KnownFact] {
        var known: [KnownFact] = []
        var next: Int64 = 1
        for turn in turns {
            for fact in FactFinder().find(in: turn) {
                let new = KnownFact(id: next, key: fact.key, value: fact.value, content: fact.content)
                next += 1
                switch FactMerge.decide(fact, known: known) {
                case .add: known.append(new)
                case .update(let id):
                    if let place = known.firstIndex(where: { $0.id == id }) { known[place] = new }
                case .supersede(let ids, _):
                    known.removeAll { ids.contains($0.id) }
                    known.append(new)
                case .end(let ids, _): known.removeAll { ids.contains($0.id) }
                case .nothing: break
                }
            }
        }
        return known
    }
}
