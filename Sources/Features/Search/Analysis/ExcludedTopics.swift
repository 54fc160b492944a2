import GatewayAPI
import Text

/// Decides whether a note is about something that a question excludes.
struct ExcludedTopics: Sendable {
    /// The words of each topic, folded.
    private let topics: [[Substring]]

    init(_ topics: [String]) { self.topics = topics.map(Self.words).filter { !$0.isEmpty } }

    /// Whether no topic is excluded.
    var isEmpty: Bool { topics.isEmpty }

    /// Whether a note's title, type, tags, threads, concepts or themes name a topic. A word in its content does not count: a note
    /// may mention what it is not about.
    func cover(_ note: Note) -> Bool {
        guard !isEmpty else { return false }
        let labels =
            [note.title, note.primaryTheme ?? "", note.noteType ?? ""] + note.tags + note.concepts
            + (note.secondaryThemes ?? []) + note.threads.map(\.name)
        let names = labels.map(Self.words)
        return topics.contains { topic in names.contains { Self.has(topic, in: $0) } }
    }

    private static func words(_ text: String) -> [Substring] {
        TextFolding.folded(text).split { !$0.isLetter && !$0.isNumber }
    }

    /// Whether the words of a topic stand one after the other.
    private static func has(_ topic: [Substring], in words: [Substring]) -> Bool {
        guard words.count >= topic.count else { return false }
        return (0...(words.count - topic.count)).contains { start in
            topic.indices.allSatisfy { isSame(words[start + $0], topic[$0]) }
        }
    }

    /// Whether two words are the same, up to the ending of a plural.
    private static func isSame(_ a: Substring, _ b: Substring) -> Bool {
        if a == b { return true }
        let (short, long) = a.utf8.count < b.utf8.count ? (a, b) : (b, a)
        guard short.utf8.count >= 3, long.hasPrefix(short) else { return false }
        return ["s", "es", "n", "en", "e"].contains(long.dropFirst(short.count))
    }
}
