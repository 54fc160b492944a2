import GatewayAPI

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
    static func usable(_ rewriting: String) -> String? {
        let line = rewriting.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        var text = trimmed(line[...])
        if text.lowercased().hasPrefix("query:") { text = trimmed(text.dropFirst(6)) }
        return (3...500).contains(text.utf8.count) ? String(text) : nil
    }

    /// A text without spaces and quotation marks around it.
    private static func trimmed(_ text: Substring) -> Substring {
        func isOutside(_ character: Character) -> Bool { character.isWhitespace || "\"'`„“”»«".contains(character) }
        var text = text.drop(while: isOutside)
        while text.last.map(isOutside) ?? false { text.removeLast() }
        return text
    }
}
