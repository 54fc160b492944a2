import Language

/// Reads what a German sentence says is to be done.
struct GermanReader {
    private let sentence: ItemSentence
    private let words: [TextWord]

    init(_ sentence: ItemSentence) {
        self.sentence = sentence
        words = sentence.words
    }

    private static let strong: Set<String> = ["muss", "müssen", "soll", "sollen"]
    private static let advice: Set<String> = ["sollte", "sollten"]
    private static let people: Set<String> = ["ich", "wir"]
    private static let negations = WordList.plain("nicht nie niemals kein keine keinen keinem keiner")
    private static let lead = WordList.plain(
        "noch dann und auch endlich bitte unbedingt dringend außerdem aber zuerst wichtig jetzt danach also dringend")
    /// Verbs with a person or a tense: with one of them an infinitive at the end is a report.
    private static let finite = WordList.plain(
        """
        ich er wir du man habe hat haben hatte hatten wollte wollten konnte konnten kann können könnte musste mussten \
        muss müssen müsste ist sind war waren wird werden würde würden soll sollen sollte sollten mag möchte möchten \
        darf durfte ließ ließen will wollen sagte wäre hätte dauert dauerte gibt gab ging macht wenn weil dass ob um \
        ohne statt es
        """)
    /// Beginnings behind which a clause with `zu` follows.
    private static let openings = WordList.phrases(
        """
        denk daran; denke daran; dran denken; daran denken; denk dran; vergiss nicht; nicht vergessen; \
        erinnere mich daran; erinner mich daran; erinnere mich; ich darf nicht vergessen; nicht zu vergessen; \
        ich muss daran denken; ich muss dran denken
        """)

    func read() -> TaskClause? {
        var places = sentence.kept(from: 0)
        while let first = places.first, Self.lead.contains(words[first].text), places.count > 1 { places.removeFirst() }
        guard places.count >= 2 else { return nil }
        let texts = places.map { words[$0].text }
        if let opening = Self.openings.first(where: { texts.starts(with: $0) }) {
            return behind(Array(places[opening.count...]))
        }
        if texts.suffix(2) == ["nicht", "vergessen"] {
            let rest = Array(places.dropLast(2))
            guard !rest.contains(where: { Self.finite.contains(words[$0].text) }) else { return nil }
            return infinitive(rest) ?? TaskClause(words: places)
        }
        return obligation(places, texts) ?? passive(places, texts) ?? present(places, texts) ?? infinitive(places)
            ?? imperative(places, texts)
    }

    /// What follows `Denk daran,` or `Nicht vergessen:`.
    private func behind(_ places: [Int]) -> TaskClause? {
        guard let last = places.last, places.count >= 2 else {
            return places.isEmpty ? nil : TaskClause(words: places)
        }
        let verb = words[last].text
        if let plain = GermanVerbs.infinitive(ofExtended: verb) { return TaskClause(words: places, closing: plain) }
        if words[places[places.count - 2]].text == "zu" {
            return TaskClause(words: places.dropLast(2) + [last])
        }
        return places.contains { Self.finite.contains(words[$0].text) } ? nil : TaskClause(words: places)
    }

    /// `Ich muss … anrufen`, `Morgen muss ich … bringen`.
    private func obligation(_ places: [Int], _ texts: [String]) -> TaskClause? {
        let modals = Self.strong.union(Self.advice)
        var start: Int?
        for index in texts.indices {
            let isFirst = index == 0 || words[places[index]].followsMark || ["und", "aber"].contains(texts[index - 1])
            if index > 0, ["wenn", "falls", "ob", "dass", "sagte", "sagt", "weil"].contains(texts[index - 1]) {
                return nil
            }
            guard isFirst, index + 2 < texts.count || modals.contains(texts[index]) else { continue }
            let next = index + 1 < texts.count ? texts[index + 1] : ""
            if Self.people.contains(texts[index]), modals.contains(next) { start = index + 2 }
            if modals.contains(texts[index]) {
                if Self.people.contains(next) {
                    start = index + 2
                } else if index == 0, texts[0] == "muss" || texts[0] == "sollte" {
                    start = 1
                }
            }
            if start != nil { break }
        }
        guard let start, start < places.count else { return nil }
        let isAdvice =
            Self.advice.contains(texts[start - 1]) || Self.advice.contains(texts[start - 2 < 0 ? 0 : start - 2])
        // The clause ends at the next mark.
        let end = places.indices.first { $0 > start && words[places[$0]].followsMark } ?? places.endIndex
        let clause = Array(places[start..<end])
        guard let last = clause.last, clause.count >= 2 else { return nil }
        let verb = words[last]
        let isVerb =
            isAdvice
            ? GermanVerbs.isErrand(verb.text)
            : !verb.isCapital && (verb.text.hasSuffix("en") || verb.text.hasSuffix("eln") || verb.text.hasSuffix("ern"))
        guard isVerb, !GermanVerbs.states.contains(verb.text), !isNegated(clause) else { return nil }
        return TaskClause(words: clause)
    }

    private func isNegated(_ clause: [Int]) -> Bool {
        clause.contains { Self.negations.contains(words[$0].text) }
    }

    /// `Die Steuererklärung muss bis … abgegeben werden`.
    private func passive(_ places: [Int], _ texts: [String]) -> TaskClause? {
        // Without a day it is a rule more often than a task.
        guard sentence.due != nil, texts.last == "werden",
            let verb = texts.dropLast().last.flatMap(GermanVerbs.verb(ofParticiple:)),
            let modal = texts.firstIndex(where: { $0 == "muss" || $0 == "müssen" }), modal > 0, places.count >= 4,
            !isNegated(places), !["wenn", "falls", "weil", "dass", "man", "er", "sie", "es"].contains(texts[0])
        else { return nil }
        let object = Array(places[..<modal]) + Array(places[(modal + 1)..<(places.count - 1)])
        return TaskClause(words: object, closing: verb)
    }

    /// `Am Montag schicke ich die Rechnung`.
    private func present(_ places: [Int], _ texts: [String]) -> TaskClause? {
        guard sentence.hasDue, texts.count >= 3 else { return nil }
        let isInverted = texts[1] == "ich"
        guard isInverted || texts[0] == "ich" else { return nil }
        let form = isInverted ? texts[0] : texts[1]
        guard form.hasSuffix("e"), let verb = GermanVerbs.verb(ofForm: form), !isNegated(places) else { return nil }
        var object = Array(places[2...])
        guard let last = object.last else { return nil }
        let prefixed = words[last].text + verb
        if object.count >= 2, !words[last].isCapital, GermanVerbs.isErrand(prefixed) {
            object.removeLast()
            return closed(object, by: prefixed)
        }
        guard GermanVerbs.isErrand(verb), !GermanVerbs.states.contains(verb) else { return nil }
        return closed(object, by: verb)
    }

    /// The words with a verb behind them.
    private func closed(_ places: [Int], by verb: String) -> TaskClause? {
        guard let last = places.last else { return nil }
        return TaskClause(words: places, closing: text(last) + " " + verb)
    }

    private func text(_ place: Int) -> String {
        words[place].isCapital
            ? words[place].text.prefix(1).uppercased() + words[place].text.dropFirst() : words[place].text
    }

    /// `Bis Freitag den Gutachter anrufen`.
    private func infinitive(_ places: [Int]) -> TaskClause? {
        guard let last = places.last, places.count >= 2, !words[last].isCapital else { return nil }
        let texts = places.map { words[$0].text }
        guard GermanVerbs.isErrand(texts[texts.count - 1]), texts[texts.count - 2] != "zu" else { return nil }
        guard !texts.dropLast().contains(where: { Self.finite.contains($0) || Self.negations.contains($0) }) else {
            return nil
        }
        return TaskClause(words: places)
    }

    /// `Ruf den Gutachter an`.
    private func imperative(_ places: [Int], _ texts: [String]) -> TaskClause? {
        guard let verb = GermanVerbs.verb(ofForm: texts[0]), !texts[0].hasSuffix("en"), places.count >= 2 else {
            return nil
        }
        let next = words[places[1]]
        guard !next.followsMark,
            !["von", "vom", "des", "und", "oder", "war", "ist", "ich", "er", "sie"].contains(next.text)
        else { return nil }
        guard !texts.dropFirst().contains(where: { Self.finite.contains($0) && $0 != "ob" && $0 != "dass" }) else {
            return nil
        }
        let last = texts[texts.count - 1]
        guard GermanVerbs.isErrand(verb) || GermanVerbs.isErrand(last + verb) else { return nil }
        return TaskClause(words: places)
    }
}
