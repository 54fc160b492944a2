import Language

/// Reads what an English sentence says is to be done.
struct EnglishReader {
    private let sentence: ItemSentence
    private let words: [TextWord]

    init(_ sentence: ItemSentence) {
        self.sentence = sentence
        words = sentence.words
    }

    private static let needs = [
        ["need", "to"], ["have", "to"], ["must"], ["have", "got", "to"], ["gotta"], ["got", "to"],
    ]
    private static let subjects = [["i"], ["we"], ["i've"], ["we've"]]
    /// Cues behind which any verb but one of a state is a task.
    private static let strong: [[String]] =
        [
            ["please", "don't", "forget", "to"], ["don't", "forget", "to"], ["do", "not", "forget", "to"],
            ["please", "remember", "to"], ["remember", "to"], ["remind", "me", "to"], ["make", "sure", "to"],
            ["be", "sure", "to"], ["note", "to", "self"], ["i", "mustn't", "forget", "to"],
            ["i", "must", "not", "forget", "to"], ["must", "not", "forget", "to"], ["i", "must", "remember", "to"],
            ["must", "remember", "to"], ["i", "need", "to", "remember", "to"], ["i", "have", "to", "remember", "to"],
        ] + subjects.flatMap { subject in needs.map { subject + $0 } } + [
            ["need", "to"], ["have", "to"], ["must"], ["gotta"],
        ]
    /// Cues of an intention: a verb of an errand makes them a task.
    private static let advice = WordList.phrases(
        "i should; we should; i ought to; we ought to; should really; i had better; i'd better; we'd better")
    /// Cues of a plan: with a day to come and a verb of an errand they are a task.
    private static let plans = WordList.phrases(
        """
        i'll; we'll; i will; we will; i'm going to; i am going to; we're going to; we are going to; let's; let us; \
        i want to; we want to; i plan to; i'd like to; i shall; going to; i intend to; i promised to
        """)
    private static let adverbs = WordList.plain(
        "really also finally urgently still just definitely soon probably absolutely")
    private static let lead = WordList.plain("also then and so but please ok okay first finally now next still urgent")
    /// Words before a cue that make it another person's or a condition.
    private static let barriers = WordList.plain(
        "if unless whether when until said says told tells think thinks asked wrote would could who that why what how")

    func read() -> TaskClause? {
        var places = sentence.kept(from: 0)
        while let first = places.first, Self.lead.contains(words[first].text), places.count > 1 { places.removeFirst() }
        return cue(places) ?? passive(places) ?? imperative(places)
    }

    /// `I need to …`, also behind `and` or a comma.
    private func cue(_ places: [Int]) -> TaskClause? {
        let texts = places.map { words[$0].text }
        for start in places.indices {
            if start > 0 {
                guard !Self.barriers.contains(texts[start - 1]) else { return nil }
                guard words[places[start]].followsMark || ["and", "so", "but", "then"].contains(texts[start - 1]) else {
                    if Self.barriers.contains(texts[start]) { return nil }
                    continue
                }
            }
            if Self.barriers.contains(texts[start]) { return nil }
            func cue(of cues: [[String]]) -> Int? {
                cues.first { cue in
                    cue.indices.allSatisfy { start + $0 < texts.count && texts[start + $0] == cue[$0] }
                        && (start == 0 || cue[0] == "i" || cue[0] == "we" || cue[0].contains("'"))
                }.map { start + $0.count }
            }
            let isStrong = cue(of: Self.strong)
            let isAdvice = cue(of: Self.advice)
            guard var verb = isStrong ?? isAdvice ?? cue(of: Self.plans) else { continue }
            while verb < texts.count, Self.adverbs.contains(texts[verb]) { verb += 1 }
            guard verb < texts.count, texts.count - verb >= 2 else { return nil }
            let text = texts[verb]
            guard !["not", "never", "have", "to", "always", "no"].contains(text) else { return nil }
            if isStrong != nil {
                guard text == "be" ? sentence.hasDue : !EnglishVerbs.states.contains(text) else { return nil }
                let isNoun = EnglishVerbs.objectStarts.contains(text) && !EnglishVerbs.all.contains(text)
                guard text.allSatisfy({ $0.isLetter || $0 == "-" }), !isNoun else { return nil }
            } else {
                let isErrand = EnglishVerbs.all.contains(text) && !EnglishVerbs.states.contains(text)
                guard isErrand, isAdvice != nil || sentence.due != nil else { return nil }
            }
            return TaskClause(words: clause(places[verb...]))
        }
        return nil
    }

    /// `The tax return has to be submitted by …`.
    private func passive(_ places: [Int]) -> TaskClause? {
        let texts = places.map { words[$0].text }
        let cues = [
            ["has", "to", "be"], ["have", "to", "be"], ["must", "be"], ["needs", "to", "be"], ["need", "to", "be"],
        ]
        // Without a day it is a rule more often than a task.
        guard sentence.due != nil, texts.count > 3, !Self.barriers.contains(where: texts.contains) else { return nil }
        for index in texts.indices.dropFirst() {
            guard
                let cue = cues.first(where: { cue in
                    cue.indices.allSatisfy { index + $0 < texts.count && texts[index + $0] == cue[$0] }
                }), index + cue.count < texts.count,
                let verb = EnglishVerbs.verb(ofParticiple: texts[index + cue.count]), index <= 6,
                ["the", "my", "our", "all", "this", "these"].contains(texts[0]) || words[places[0]].isCapital,
                !["i", "we", "you", "they", "he", "she", "it", "people", "nobody", "there"].contains(texts[0])
            else { continue }
            let capital = verb.prefix(1).uppercased() + verb.dropFirst()
            var object = Array(places[..<index])
            guard !object.isEmpty else { return nil }
            let rest = places[(index + cue.count + 1)...]
            object += clause(rest)
            // The article of a sentence's start is in lower case behind the verb.
            let article = ["the", "my", "our", "all", "this", "these"].contains(texts[0]) ? texts[0] : nil
            if let article, object.count > 1 {
                return TaskClause(words: Array(object.dropFirst()), opening: "\(capital) \(article)")
            }
            return TaskClause(words: object, opening: capital)
        }
        return nil
    }

    /// `Call the surveyor`.
    private func imperative(_ places: [Int]) -> TaskClause? {
        guard places.count >= 2, let first = places.first, EnglishVerbs.all.contains(words[first].text) else {
            return nil
        }
        let verb = words[first].text
        let next = words[places[1]]
        guard !next.followsMark, !EnglishVerbs.notObjects.contains(next.text) || allows(verb, next.text) else {
            return nil
        }
        // The words between the verb and the object are those of the due day: "Call by noon" has no object.
        guard places[1] == first + 1 || sentence.due?.lowerBound == first + 1 else { return nil }
        if EnglishVerbs.unchanging.contains(verb) {
            guard sentence.hasDue || words.word(first - 1) == "please" else { return nil }
        } else if !EnglishVerbs.plain.contains(verb) {
            let isName = next.isCapital && next.text.count > 1
            let isObject =
                EnglishVerbs.objectStarts.contains(next.text) || isName || next.text.first?.isNumber == true
                || allows(verb, next.text) || sentence.hasDue && !next.text.hasSuffix("ed")
            guard isObject else { return nil }
        }
        return TaskClause(words: clause(places[...]))
    }

    private func allows(_ verb: String, _ next: String) -> Bool {
        EnglishVerbs.prepositions[verb]?.contains(next) ?? false
    }

    /// The words up to a reason, a condition or another main clause.
    private func clause(_ places: ArraySlice<Int>) -> [Int] {
        let ends: Set = ["because", "since", "otherwise", "but", "so"]
        let end = places.indices.dropFirst().first { index in
            let word = words[places[index]]
            return ends.contains(word.text) && (word.followsMark || word.text == "because" || word.text == "otherwise")
        }
        return Array(places[..<(end ?? places.endIndex)])
    }
}
