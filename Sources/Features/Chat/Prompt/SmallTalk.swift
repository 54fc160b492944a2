/// Recognises messages that need no notes: greetings, thanks, and questions about the conversation itself.
enum SmallTalk {
    /// The longest message that may be small talk, in words.
    private static let maxWords = 8

    private static let greetings: Set<String> = [
        "hi", "hello", "hey", "hallo", "moin", "servus", "morning", "evening", "morgen", "abend", "tag", "gruss",
        "grüss",
        "thanks", "thank", "thx", "dank", "danke", "dankeschön", "cheers", "bye", "goodbye", "tschüss", "ciao", "ok",
        "okay",
        "great", "super", "perfect", "perfekt", "cool", "nice", "schön", "prima", "yes", "no", "ja", "nein",
    ]
    private static let fillers: Set<String> = [
        "good", "guten", "gute", "gutes", "you", "dir", "dich", "very", "much", "vielen", "many", "so", "there",
        "again",
        "for", "that", "this", "how", "are", "wie", "geht", "es", "gehts", "s", "the", "der", "die", "das", "all",
        "a", "lot", "was", "is", "sehr", "gott", "to", "help", "your", "für", "deine", "hilfe", "and", "und", "auch",
    ]
    /// Beginnings of questions about the conversation.
    private static let aboutChat = [
        "what did i ask", "what did i just", "what did you say", "what did you just", "repeat that", "say that again",
        "repeat your", "summarise this conversation", "summarize this conversation", "translate that",
        "translate your", "make it shorter", "make that shorter", "shorter please", "in other words",
        "who are you", "what can you do", "was habe ich gefragt", "was hast du gesagt", "wiederhole", "fasse dieses",
        "fasse das gespräch", "übersetze das", "kürzer bitte", "wer bist du", "was kannst du",
    ]

    /// Whether a message needs no notes.
    static func covers(_ question: String) -> Bool {
        guard question.utf8.count <= 200 else { return false }
        let words = question.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        guard !words.isEmpty else { return true }
        let line = words.joined(separator: " ")
        if aboutChat.contains(where: line.hasPrefix) { return true }
        guard words.count <= maxWords, words.contains(where: greetings.contains) else { return false }
        return words.allSatisfy { greetings.contains($0) || fillers.contains($0) }
    }
}
