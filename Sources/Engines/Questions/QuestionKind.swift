import Language

/// Decides what kind of answer a question wants, by its words.
enum QuestionKind {
    private static let comparison = WordList.phrases(
        """
        compare; compared; comparison; difference; differences; differ; differs; versus; vs; contrast; in common; \
        better than; worse than; more than; vergleich; vergleiche; vergleichen; verglichen; unterschied; unterschiede; \
        unterscheidet; unterscheiden; gemeinsam; besser als; schlechter als; im gegensatz; gegenüberstellen; \
        gegenüberstellung
        """)
    private static let summary = WordList.phrases(
        """
        summarise; summarize; summary; summaries; overview; recap; sum up; main points; key points; in short; gist; \
        tl dr; tldr; outline; key takeaways; zusammenfassung; zusammenfassen; überblick; übersicht; zusammengefasst; \
        in kürze; wichtigsten punkte; rückblick; kernpunkte
        """)
    private static let pattern = WordList.phrases(
        """
        pattern; patterns; trend; trends; how often; how frequently; usually; tend to; recurring; repeatedly; \
        again and again; keep coming; most often; most common; habit; habits; every time; over time; typically; \
        over the years; keeps coming; do i always; themes; each time; normally; muster; wie oft; wie häufig; \
        immer wieder; meistens; normalerweise; regelmäßig; gewöhnlich; wiederkehrend; wiederkehrende; wiederkehrenden; \
        am häufigsten; jedes mal; gewohnheit; gewohnheiten; im laufe der zeit; tendenz; üblicherweise; typischerweise; \
        über die jahre; neige ich
        """)
    private static let time = WordList.phrases(
        """
        when; what day; what date; which day; which date; how long ago; last time; first time; what year; which year; \
        which month; what month; wann; seit wann; an welchem tag; welchem datum; welches datum; wie lange ist es; \
        letztes mal; letzte mal; zum ersten mal; erste mal; zum letzten mal; in welchem jahr; in welchem monat; \
        zuletzt
        """)
    /// Beginnings of questions about what is true beside the notes.
    private static let knowledge = WordList.phrases(
        """
        what is; what are; what's; what does; what do; how does; how do; how can; how to; how is; how are; why is; \
        why are; why do; why does; explain; define; who is; who was; who invented; who wrote; who were; what causes; \
        which country; where is; where do; how many; how much; can you explain; please explain; tell me what; is it; \
        how long does; how long do; how high; how far; was ist; was sind; was bedeutet; was heißt; wie funktioniert; \
        wie funktionieren; wie macht man; wie kann man; wie geht; warum ist; warum sind; warum wird; warum werden; \
        wieso ist; erkläre; erklär; wer ist; wer war; wer hat; wie viele; wie viel; wo liegt; wo ist; definiere; \
        kannst du mir erklären; wie entsteht; wie entstehen; woraus besteht; wie lange dauert; wie hoch; wie weit; \
        wodurch entsteht
        """)
    /// Words of a person who asks about what they wrote.
    private static let personal = WordList.plain(
        """
        i i've i'm i'd my me mine we our us note notes wrote ich mein meine meinem meinen meiner meines mir mich wir \
        unser unsere unserem unseren uns notiz notizen notiert
        """)

    static func of(
        _ words: [TextWord], text: String, hasTime: Bool, keywords: [String], phrases: [String]
    ) -> QuestionAnalysis.Kind {
        func hasAny(_ cues: [[String]]) -> Bool {
            words.indices.contains { index in cues.contains { words.has($0, at: index) } }
        }
        if hasAny(comparison) { return .comparison }
        // "Fass den Faden zusammen": the verb is divided.
        let isDivided =
            words.contains { ["fass", "fasse", "fassen"].contains($0.text) } && words.last?.text == "zusammen"
            || words.has(["fass", "zusammen"], at: 0) || words.has(["fasse", "zusammen"], at: 0)
        if hasAny(summary) || isDivided { return .summary }
        if hasAny(pattern) { return .pattern }
        if asksWhen(words) { return .time }
        if hasTime, keywords.isEmpty, phrases.isEmpty { return .time }
        let start = ["and", "so", "but", "und", "also", "aber", "please", "bitte"].contains(words.word(0)) ? 1 : 0
        let isGeneral = knowledge.contains { words.has($0, at: start) }
        // "How do I descale a kettle" asks for a way, not for a note.
        let asksForWay =
            words.has(["how", "do", "i"], at: start) || words.has(["how", "can", "i"], at: start)
            || words.has(["wie", "kann", "ich"], at: start)
        // "Explain to me" speaks of nobody's notes.
        let explains = ["erkläre", "erklär", "explain", "tell"].contains(words.word(start))
        let isPersonal = words.enumerated().contains { index, word in
            personal.contains(word.text) && !(asksForWay && index == start + 2) && !(explains && index == start + 1)
        }
        return isGeneral && !isPersonal && !hasTime || asksForWay && !isPersonal && !hasTime ? .knowledge : .lookup
    }

    /// Whether the question asks when: "when" joins sentences in other places.
    private static func asksWhen(_ words: [TextWord]) -> Bool {
        words.indices.contains { index in
            guard let cue = time.first(where: { words.has($0, at: index) }) else { return false }
            guard cue == ["when"] || cue == ["wann"] || cue == ["zuletzt"] else { return true }
            return index < 2 || cue == ["zuletzt"]
                || ["since", "remember", "know", "me", "mir", "weiß", "seit", "und", "and", "sag"].contains(
                    words.word(index - 1))
        }
    }
}
