import Language

/// Applies the rules to the clauses of a sentence.
struct FactClauseReader {
    private let source: Substring
    private let reader: ValueReader

    init(_ source: Substring) {
        self.source = source
        reader = ValueReader(source: source)
    }

    /// A clause with its words in the order of a plain statement.
    private struct Clause {
        var tokens: [TextWord]
        /// Whether it says that something no longer holds.
        var isEnded = false
    }

    /// The facts of a sentence; their places are those of the whole sentence.
    func facts(_ tokens: [TextWord]) -> [PersonFact] {
        var found: [PersonFact] = []
        var last: (rule: FactRule, lead: String)?
        for words in Self.clauses(tokens) {
            if let (rule, lead) = last, let fact = replacement(words, rule, lead) {
                found.append(fact)
                last = nil
                continue
            }
            last = nil
            let clause = Self.plain(words)
            for variant in Self.variants(clause.tokens) {
                let (facts, rule) = facts(variant, isEnded: clause.isEnded)
                guard !facts.isEmpty else { continue }
                found += facts
                if clause.isEnded { last = rule }
                break
            }
        }
        return found
    }

    // MARK: Rules

    private func facts(_ tokens: [TextWord], isEnded: Bool) -> ([PersonFact], (rule: FactRule, lead: String)?) {
        var found: [PersonFact] = []
        var taken: [Range<Int>] = []
        var last: (rule: FactRule, lead: String)?
        for start in tokens.indices {
            guard !Self.blockers.contains(tokens.word(start - 1)) else { continue }
            for rule in FactRules.byOpening[tokens[start].text] ?? [] {
                guard !taken.contains(where: { $0.contains(start) }) else { break }
                // "I will remember that evening" asks for nothing.
                let isRequest = ["", "please", "bitte", "and", "und"].contains(tokens.word(start - 1))
                guard rule.kind != .note || isRequest else { continue }
                // What was a habit once is of no use.
                guard rule.kind != .habit || !isEnded else { continue }
                guard let match = rule.match(tokens, at: start, reader: reader) else { continue }
                guard !Self.isIncomplete(tokens, behind: match.range.upperBound) else { continue }
                taken.append(match.range)
                last = (rule, match.lead)
                let facts = read(rule, match, tokens, isEnded: isEnded)
                found += facts
                break
            }
        }
        return (found, last)
    }

    private func read(_ rule: FactRule, _ match: RuleMatch, _ tokens: [TextWord], isEnded: Bool) -> [PersonFact] {
        var found = ([rule] + rule.others).map { fact($0, match.values, isEnded: isEnded) }
        guard rule.hasLists, var value = match.values.first, case .value(let shape)? = rule.parts.last else {
            return found
        }
        while found.count < 6, let next = reader.next(shape, tokens, after: value) {
            found.append(fact(rule, [next] + match.values.dropFirst(), isEnded: isEnded))
            value = next
        }
        return found
    }

    /// What holds instead: `… any more, but in Hamburg`, `…, sondern in Hamburg`.
    private func replacement(_ tokens: [TextWord], _ rule: FactRule, _ lead: String) -> PersonFact? {
        let openings: Set = ["but", "sondern", "now", "jetzt", "instead", "nun", "inzwischen", "mittlerweile", "aber"]
        var place = 0
        while openings.contains(tokens.word(place)) || place > 0 && FactRule.fillers.contains(tokens.word(place)) {
            place += 1
        }
        guard place > 0 else { return nil }
        if tokens.word(place) == lead { place += 1 }
        let shape = rule.parts.compactMap { if case .value(let shape) = $0 { shape } else { nil } }.first
        guard let shape, let value = reader.read(shape, tokens, at: place, ends: []),
            value.tokens.upperBound == tokens.count
        else { return nil }
        return fact(rule, [value], isEnded: false)
    }

    private func fact(_ rule: FactRule, _ values: [ReadValue], isEnded: Bool) -> PersonFact {
        let (first, second) = (values.first, values.dropFirst().first)
        func filled(_ template: String, _ text: (ReadValue) -> String) -> String {
            template.replacing("{v}", with: first.map(text) ?? "").replacing("{w}", with: second.map(text) ?? "")
        }
        let change: PersonFact.Change = isEnded != (rule.change == .ended) ? .ended : .holds
        return PersonFact(
            kind: rule.kind, key: String(filled(rule.key, \.folded).prefix(80)),
            value: String(FactWords.canonical(filled(rule.value, \.folded)).prefix(200)),
            content: filled(rule.content, \.text), confidence: rule.confidence, isSingle: rule.isSingle, change: change,
            range: 0..<0, source: "")
    }

    // MARK: Clauses

    /// Words before a statement that make it none.
    private static let blockers = WordList.plain(
        """
        before until whether where why how what who like than when whenever not never does did ob bevor bis wo wie \
        warum wer was sobald als nicht nie welche since's friend think hope ehe
        """)

    /// Whether a verb of the past or a condition follows, so that the statement is another one.
    private static func isIncomplete(_ tokens: [TextWord], behind end: Int) -> Bool {
        ["nicht", "not", "kein", "keine"].contains(tokens.word(end))
    }

    private static let subjects = WordList.plain("i we my our ich wir mein meine unser unsere")
    private static let conjunctions: Set<String> = ["and", "but", "und", "aber", "sondern", "so", "also", "denn"]
    private static let openings: Set<String> = subjects.union([
        "but", "and", "now", "so", "because", "sondern", "aber", "und", "jetzt", "denn", "weil", "da", "since",
        "inzwischen",
        "mittlerweile", "these", "today", "nun", "seit", "although", "obwohl", "as", "am", "deshalb", "also",
    ])

    /// Splits a sentence into clauses. A clause without a subject gets that of the one before.
    private static func clauses(_ tokens: [TextWord]) -> [[TextWord]] {
        var clauses: [[TextWord]] = []
        var current: [TextWord] = []
        var subject: TextWord?
        for (index, token) in tokens.enumerated() {
            let next = tokens.word(index + 1)
            var splits =
                index > 0 && token.followsMark
                && (openings.contains(token.text) || FactRules.verbs.contains(token.text))
            if conjunctions.contains(token.text), index > 0 {
                splits =
                    splits || subjects.contains(next) || FactRules.verbs.contains(next)
                    || ["now", "jetzt"].contains(next)
                    || ["but", "sondern"].contains(token.text)
            }
            if splits, !current.isEmpty {
                clauses.append(current)
                current = []
            }
            if ["i", "ich", "we", "wir"].contains(token.text) { subject = token }
            let isFirst = current.isEmpty || current.count == 1 && conjunctions.contains(current[0].text)
            if isFirst, let subject, FactRules.verbs.contains(token.text), !subjects.contains(next), !token.isCapital {
                var added = subject
                added.followsMark = false
                current.append(added)
                var verb = token
                verb.followsMark = false
                current.append(verb)
                continue
            }
            current.append(token)
        }
        if !current.isEmpty { clauses.append(current) }
        return clauses
    }

    /// Takes out what says that something no longer holds, and since when it holds.
    private static func plain(_ tokens: [TextWord]) -> Clause {
        var clause = Clause(tokens: withoutSince(tokens))
        var words: [String] { clause.tokens.map(\.text) }
        func remove(_ places: [Int]) {
            for place in places.sorted(by: >) { clause.tokens.remove(at: place) }
            clause.isEnded = true
        }
        if let place = clause.tokens.indices.first(where: { clause.tokens.has(["no", "longer"], at: $0) }) {
            remove([place, place + 1])
        } else if let place = clause.tokens.indices.first(where: {
            clause.tokens.has(["any", "more"], at: $0) || clause.tokens.has(["any", "longer"], at: $0)
        }), let negation = words[..<place].lastIndex(of: "not") {
            let helper = ["do", "does"].contains(clause.tokens.word(negation - 1)) ? [negation - 1] : []
            remove([place, place + 1, negation] + helper)
        } else if let place = clause.tokens.indices.first(where: { clause.tokens.has(["used", "to"], at: $0) }),
            ["i", "we"].contains(clause.tokens.word(place - 1))
        {
            remove([place, place + 1])
        } else if let place = clause.tokens.indices.first(where: { clause.tokens.has(["nicht", "mehr"], at: $0) }) {
            remove([place, place + 1])
        } else if let place = words.lastIndex(of: "mehr"),
            let negation = words[..<place].lastIndex(where: { ["kein", "keine", "keinen", "keiner"].contains($0) })
        {
            remove([place, negation])
        }
        return clause
    }

    /// Takes out `seit drei Jahren`, which stands in the middle of German sentences.
    private static func withoutSince(_ tokens: [TextWord]) -> [TextWord] {
        guard let start = tokens.firstIndex(where: { $0.text == "seit" }) else { return tokens }
        let words: Set = [
            "kurzem", "langem", "vielen", "einigen", "letztem", "letzter", "letzten", "dem", "der", "anfang", "ende",
            "gut",
            "über", "etwa", "fast", "ein", "paar", "diesem", "dieser",
        ]
        var end = start + 1
        while end < tokens.count, end - start < 5 {
            let word = tokens[end].text
            let isTime =
                words.contains(word) || word.first?.isNumber == true || NumberWords.counts[word] != nil
                || CalendarWords.units[word] != nil || CalendarWords.months[word] != nil
                || CalendarWords.weekdays[word] != nil
            guard isTime else { break }
            end += 1
        }
        return Array(tokens[..<start] + tokens[end...])
    }

    /// The clause, and German clauses with the verb behind the subject.
    private static func variants(_ tokens: [TextWord]) -> [[TextWord]] {
        var variants = [tokens]
        for subject in tokens.indices where ["ich", "wir"].contains(tokens[subject].text) {
            if FactRules.verbs.contains(tokens.word(subject - 1)) {
                var swapped = tokens
                swapped.swapAt(subject - 1, subject)
                // What stood before the verb is said behind it: "Jeden Morgen jogge ich".
                variants.append(swapped)
            } else if ["weil", "da"].contains(tokens.word(subject - 1)), let last = tokens.last,
                FactRules.verbs.contains(last.text),
                tokens.count > subject + 2
            {
                var moved = tokens
                moved.removeLast()
                moved.insert(last, at: subject + 1)
                variants.append(moved)
            }
        }
        return variants
    }
}
