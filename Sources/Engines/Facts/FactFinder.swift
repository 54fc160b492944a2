import Citations
import Language

/// Finds what a person says about themselves: `I moved to Leipzig`, `meine Schwester heißt Anna`.
///
/// English and German, without a model. Questions, conditions, wishes, quotations, what others say and texts to translate or
/// to rewrite give no facts, and neither do negations, except `not any more`. The same text gives the same facts.
package struct FactFinder: Sendable {
    package init() {}

    /// Returns the facts in the order of the text, at most ``PersonFact/maxFacts``.
    package func find(in text: String) -> [PersonFact] {
        let bytes = text.utf8
        var found: [PersonFact] = []
        for sentence in Sentence.sentences(ofAnswer: text, maxBytes: PersonFact.maxTextBytes) {
            guard found.count < PersonFact.maxFacts else { break }
            guard sentence.range.count <= PersonFact.maxSentenceBytes, sentence.range.upperBound <= bytes.count else {
                continue
            }
            let start = bytes.index(bytes.startIndex, offsetBy: sentence.range.lowerBound)
            let end = bytes.index(start, offsetBy: sentence.range.count)
            let source = text[start..<end]
            let words = SentenceWords.words(of: source)
            // The rest of the text is somebody's words, to be worked on.
            if Guards.isAboutText(words) { break }
            guard !Self.isQuoted(start, in: text), !source.contains("?"), !Guards.covers(words) else { continue }
            for fact in FactClauseReader(source).facts(words) {
                guard found.count < PersonFact.maxFacts else { break }
                var fact = fact
                fact.range = sentence.range
                fact.source = String(source)
                if !found.contains(where: { $0.key == fact.key && $0.value == fact.value && $0.change == fact.change })
                {
                    found.append(fact)
                }
            }
        }
        return found
    }

    /// Whether a place is in a line that quotes, with `>` at its start.
    private static func isQuoted(_ place: String.Index, in text: String) -> Bool {
        let line = text[..<place].suffix(200).split(separator: "\n", omittingEmptySubsequences: false).last ?? ""
        return line.first { !$0.isWhitespace } == ">" || text[place] == ">"
    }
}

/// Sentences that say nothing about the person.
enum Guards {
    private static let conditions: Set<String> = [
        "if", "would", "could", "might", "maybe", "perhaps", "imagine", "suppose", "wish", "pretend", "hypothetically",
        "unless", "should", "probably", "supposedly", "almost",
        "wenn", "falls", "würde", "würden", "könnte", "könnten", "wäre", "wären", "hätte", "hätten", "vielleicht",
        "angenommen", "wünschte", "vermutlich", "wahrscheinlich", "fast", "beinahe", "möglicherweise", "sollte",
    ]
    private static let reports = WordList.plain(
        """
        says said told tells claims claimed writes wrote asks asked thinks believes thought sagt sagte meint meinte \
        behauptet behauptete schreibt schrieb fragt fragte glaubt denkt dachte erzählt erzählte joked lyrics quote \
        zitat dreamt dreamed träumte geträumt
        """)
    private static let requests: Set<String> = [
        "translate", "rewrite", "proofread", "paraphrase", "rephrase", "übersetze", "übersetz", "korrigiere",
        "umschreibe",
        "formuliere", "summarise", "summarize",
    ]
    private static let openings = WordList.phrases(
        """
        stell dir; tu so; nehmen wir; say i; let 's say; write a; write me; schreib eine; schreibe eine; schreib mir; \
        in the novel; the character; as if; als ob; i think; i guess; ich glaube; ich denke; not sure; nicht sicher
        """)

    /// Whether the sentence asks to work on a text.
    static func isAboutText(_ words: [TextWord]) -> Bool {
        words.prefix(3).contains { requests.contains($0.text) }
    }

    private static let questions: Set<String> = [
        "what", "which", "who", "whose", "where", "why", "how", "when", "did", "does", "was", "welche", "welcher",
        "welches", "wer",
        "wo", "warum", "wie", "wann", "woher", "wohin", "weshalb", "list", "find", "show", "zeig", "finde", "suche",
    ]

    /// Whether the sentence is a question, a condition, a wish, a report or fiction.
    static func covers(_ words: [TextWord]) -> Bool {
        if let first = words.first, questions.contains(first.text) { return true }
        // "May" with a capital is the month.
        if words.contains(where: { conditions.contains($0.text) || $0.text == "may" && !$0.isCapital }) { return true }
        if words.contains(where: { reports.contains($0.text) }) { return true }
        return words.indices.contains { index in openings.contains { words.has($0, at: index) } }
    }
}
