import Language

/// Finds what a question excludes: `but not about work`, `except for the garden`, `außer Arbeit`.
///
/// Only words that speak of the notes themselves count. "Can I bake without yeast" excludes no note.
enum Exclusions {
    /// An exclusion and its place.
    struct Found {
        var texts: [String]
        var range: Range<Int>
    }

    private static let openings = WordList.phrases(
        """
        but nothing about; but not about; and not about; not about; but not the; but not; except for; except; \
        excluding; other than; apart from; aside from; leaving out; ignoring; without anything about; \
        without notes about; without the notes about; aber nichts über; aber nicht über; aber nicht zu; nicht über; \
        nicht zum thema; aber nicht; außer zu; außer über; außer; abgesehen von; ausgenommen; mit ausnahme von; \
        ohne notizen über; ohne notizen zu; ohne alles über
        """)

    /// Words that a topic does not begin with.
    private static let articles: Set<String> = [
        "the", "my", "our", "any", "anything", "about", "those", "der", "die", "das", "den", "dem", "meine", "meiner",
        "meinen", "mein", "meinem", "unsere", "allem", "alles", "über", "zu",
    ]
    /// Words that end a topic.
    private static let ends: Set<String> = [
        "in", "on", "at", "from", "since", "that", "which", "who", "when", "where", "while", "during", "did", "do",
        "does", "have", "has", "is", "are", "was", "were", "i", "last", "this", "before", "after", "until", "please",
        "im", "am", "seit", "habe", "hat", "ist", "war", "waren", "ich", "letzte", "letzten", "diese", "dieser", "vor",
        "nach", "bis", "geschrieben", "notiert", "steht", "bitte", "but", "aber", "notes", "notizen",
    ]
    /// Words after which "but not" says no topic.
    private static let notTopics: Set<String> = [
        "yet", "always", "only", "sure", "really", "too", "very", "enough", "so", "nur", "immer", "sicher", "sehr",
        "mehr", "so", "genug", "finished", "done", "fertig", "able", "what", "how", "why",
    ]
    private static let joins: Set<String> = ["and", "or", "nor", "und", "oder"]
    /// Words that belong to something said before: what follows is a part of a topic, not a topic.
    private static let possessives = WordList.plain(
        "its his her their being sein seine seinen ihr ihre ihren deren dessen")
    /// The most words of a topic. A longer one is a part of the question, which no word of a note decides.
    private static let maxWords = 2

    static func find(in words: [TextWord], isQuoted: [Bool], time: Range<Int>?) -> [Found] {
        var found: [Found] = []
        var index = 0
        while index < words.count {
            guard !isQuoted[index], let opening = openings.first(where: { words.has($0, at: index) }),
                let exclusion = topics(words, from: index + opening.count, time)
            else {
                index += 1
                continue
            }
            found.append(Found(texts: exclusion.texts, range: index..<exclusion.end))
            index = exclusion.end
        }
        return found
    }

    private static func topics(
        _ words: [TextWord], from start: Int, _ time: Range<Int>?
    ) -> (texts: [String], end: Int)? {
        var (texts, topic, index) = ([String](), [String](), start)
        guard !notTopics.contains(words.word(start)) else { return nil }
        func close() {
            let isTopic = topic.count <= maxWords && topic.allSatisfy { !possessives.contains($0) && !$0.contains("'") }
            if !topic.isEmpty, isTopic { texts.append(topic.joined(separator: " ")) }
            topic = []
        }
        while index < words.count, !(time?.contains(index) ?? false) {
            let word = words[index]
            if word.followsMark, index > start { break }
            if topic.isEmpty, articles.contains(word.text) {
                index += 1
                continue
            }
            if joins.contains(word.text) {
                // Only a topic may follow.
                let next = words.word(index + 1)
                guard !topic.isEmpty, !next.isEmpty, !ends.contains(next), !notTopics.contains(next) else { break }
                close()
                index += 1
                continue
            }
            guard !ends.contains(word.text) else { break }
            topic.append(word.text)
            index += 1
        }
        close()
        return texts.isEmpty ? nil : (texts, index)
    }
}
