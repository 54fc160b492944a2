import GatewayAPI
import Text

/// Decides whether a question can be searched as it is, or depends on the conversation before it.
enum QuestionContext {
    /// The fewest words of a question that stands on its own, unless it has other signs.
    private static let fewWords = 4
    /// The most bytes of an earlier question that are added to a query.
    private static let earlierBytes = 400

    /// Words that stand for something said before.
    private static let references: Set<String> = [
        "it", "its", "that", "this", "those", "these", "they", "them", "their", "he", "him", "his", "she", "her",
        "hers",
        "there", "then", "one", "ones", "same", "former", "latter", "else",
        "er", "sie", "es", "ihm", "ihn", "ihr", "ihre", "ihren", "sein", "seine", "dies", "diese", "dieser", "dieses",
        "dem", "denen", "dort", "da", "davon", "damit", "dazu", "daran", "darüber", "darin", "dabei", "dafür", "dann",
        "jene", "jener", "derselbe", "dasselbe",
    ]
    /// First words of a question that goes on.
    private static let beginnings: Set<String> = ["and", "but", "so", "why", "und", "aber", "also", "warum", "wieso"]

    /// Whether the question depends on the conversation.
    static func needs(_ question: String) -> Bool {
        let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard let first = words.first else { return false }
        return words.count < fewWords || beginnings.contains(first) || words.contains(where: references.contains)
    }

    /// The query without a model: the question before, then this one.
    static func joined(_ question: String, after history: [Message]) -> String {
        guard let earlier = history.last(where: { $0.role == "user" })?.content else { return question }
        return String(decoding: earlier.utf8.prefix(earlierBytes), as: UTF8.self) + "\n" + question
    }

    /// A model's rewriting if it is usable as a query, else nil.
    ///
    /// Models add preambles (`Here is the search query:`), lists, quotation marks, code fences and explanations. A line counts when it
    /// shares a content word with the question or with what was said before: another one is about something else.
    static func usable(_ rewriting: String, question: String, history: [String]) -> String? {
        let known = ([question] + history).reduce(into: Set<String>()) { $0.formUnion(contentWords(of: $1)) }
        // A closed block of thoughts whose beginning the prompt had.
        let answer = rewriting.components(after: "</think>")
        for line in answer.split(whereSeparator: \.isNewline).prefix(64) {
            let text = withoutPreamble(cleaned(line))
            guard (3...500).contains(text.utf8.count), !isAboutTheTask(text) else { continue }
            let words = contentWords(of: text)
            if words.contains(where: { word in known.contains { areForms($0, word) } }) { return text }
        }
        return nil
    }

    /// Whether a text has words of its own to search for.
    static func hasContent(_ text: String) -> Bool { !contentWords(of: text).isEmpty }

    /// Words that say what a text is about, folded. Characters of scripts without spaces are words each.
    static func contentWords(of text: String) -> Set<String> {
        var words: Set<String> = []
        for word in TextFolding.folded(text).split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            let isWide = word.unicodeScalars.contains {
                (0x0E00...0x0E7F).contains($0.value) || (0x3040...0x9FFF).contains($0.value)
                    || (0xAC00...0xD7AF).contains($0.value)
            }
            if isWide {
                words.formUnion(word.map(String.init))
            } else if word.count >= 2, !fillers.contains(String(word)), !foldedReferences.contains(String(word)) {
                words.insert(String(word))
            }
        }
        return words
    }

    /// Whether two words are equal, or have a beginning of most of their letters in common.
    private static func areForms(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        let least = min(one.count, other.count)
        guard least >= 4 else { return false }
        return zip(one, other).prefix { $0 == $1 }.count >= max(4, least - 2)
    }

    private static let foldedReferences = Set(references.union(beginnings).map { TextFolding.folded($0) })

    /// Words that say nothing of a subject.
    private static let fillers: Set<String> = [
        "the", "an", "of", "in", "on", "at", "to", "for", "from", "with", "by", "about", "is", "are", "was", "were",
        "be", "been", "do",
        "does", "did", "has", "have", "had", "can", "could", "will", "would", "should", "may", "might", "what", "when",
        "where", "which",
        "who", "whom", "whose", "how", "not", "no", "or", "as", "if", "my", "me", "you", "your", "we", "our", "us",
        "more", "most", "any",
        "some", "all", "also", "just", "there", "here", "please", "tell", "say", "said", "now", "again", "still",
        "much", "many", "other",
        "second", "first", "third", "next", "last", "mean", "means", "else", "too", "ok", "okay", "yes", "sure",
        "query", "search",
        "der", "die", "das", "den", "des", "ein", "eine", "einer", "eines", "einen", "im", "am", "an", "auf", "zu",
        "zum", "zur", "von",
        "vom", "mit", "bei", "fur", "uber", "ist", "sind", "war", "waren", "hat", "habe", "haben", "hatte", "wird",
        "werden", "kann",
        "wer", "wie", "wo", "wann", "welche", "welcher", "welches", "nicht", "kein", "keine", "oder", "als", "wenn",
        "ich", "mir", "mich",
        "du", "dir", "dein", "deine", "mein", "meine", "wir", "uns", "auch", "noch", "mehr", "hier", "bitte", "sag",
        "ja", "nein", "denn",
        "zweite", "erste", "dritte", "nachste", "letzte", "suchanfrage", "suche", "frage", "genau",
    ]

    /// Words of a preamble: `Here is the rewritten search query:`, `Suchanfrage:`.
    private static let preambleWords: Set<String> = [
        "query", "queries", "search", "rewritten", "rewrite", "question", "rephrased", "standalone", "reformulated",
        "answer", "output",
        "result", "suchanfrage", "anfrage", "frage", "umformuliert", "umformulierte", "suche", "antwort", "ergebnis",
        "here", "sure",
        "certainly", "hier",
    ]

    /// A line without its preamble before a colon.
    private static func withoutPreamble(_ line: String) -> String {
        guard let colon = line.firstIndex(of: ":") else { return line }
        let head = TextFolding.folded(String(line[..<colon])).split { !$0.isLetter }.map(String.init)
        guard head.count <= 16, head.contains(where: preambleWords.contains) else { return line }
        return withoutPreamble(cleaned(line[line.index(after: colon)...]))
    }

    /// Whether a line speaks of its own task, as thoughts and explanations do.
    private static func isAboutTheTask(_ line: String) -> Bool {
        let text = TextFolding.folded(line)
        return [
            "the user", "search query", "this query", "the query", "rewrit", "the conversation", "the question",
            "as an ai", "i cannot",
            "i can't", "suchanfrage", "der nutzer", "die frage lautet", "let me", "i need to", "we need to",
        ].contains { text.contains($0) }
    }

    /// A line without marks of lists, headings, code, quotations and JSON around it.
    private static func cleaned(_ line: some StringProtocol) -> String {
        func isOutside(_ character: Character) -> Bool {
            character.isWhitespace || "\"'`„“”»«‘’*_#>{}[]<~|".contains(character)
        }
        var text = String(line).drop(while: isOutside)
        // `- x`, `1. x`, `1) x`
        let digits = text.prefix(while: \.isNumber)
        let afterDigits = text.dropFirst(digits.count)
        if (1...2).contains(digits.count), let mark = afterDigits.first, ".)".contains(mark),
            afterDigits.dropFirst().first == " "
        {
            text = afterDigits.dropFirst(2)
        } else if let mark = text.first, "-•–+".contains(mark), text.dropFirst().first == " " {
            text = text.dropFirst(2)
        }
        text = text.drop(while: isOutside)
        while text.last.map({ isOutside($0) || $0 == "," }) ?? false { text.removeLast() }
        return String(text)
    }
}

extension String {
    /// What stands behind the last occurrence of a mark; the whole text without one.
    fileprivate func components(after mark: String) -> Substring {
        var rest = self[...]
        while let found = rest.firstRange(of: mark) { rest = rest[found.upperBound...] }
        return rest
    }
}
