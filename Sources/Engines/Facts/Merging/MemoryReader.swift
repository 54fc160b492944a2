/// Reads the subject of a memory that a person or another program wrote: `User lives in Leipzig`, `Likes tea`.
package enum MemoryReader {
    private static let subjects = [
        "the user ", "user ", "the author ", "author ", "the person ", "she ", "he ", "they ", "der nutzer ",
        "die nutzerin ",
        "nutzer ", "er ", "sie ",
    ]
    private static let verbs: [String: String] = [
        "lives": "I live", "works": "I work", "likes": "I like", "loves": "I love", "enjoys": "I enjoy",
        "hates": "I hate",
        "dislikes": "I dislike", "prefers": "I prefer", "uses": "I use", "speaks": "I speak", "has": "I have",
        "is": "I am",
        "plays": "I play", "drives": "I drive", "plans": "I plan", "studies": "I study", "comes": "I come",
        "avoids": "I avoid",
        "moved": "I moved", "allergic": "I am allergic", "name": "My name is", "birthday": "My birthday is",
        "wohnt": "Ich wohne", "lebt": "Ich lebe", "arbeitet": "Ich arbeite", "mag": "Ich mag", "liebt": "Ich liebe",
        "hasst": "Ich hasse", "spricht": "Ich spreche", "hat": "Ich habe", "ist": "Ich bin", "heißt": "Ich heiße",
        "benutzt": "Ich benutze", "nutzt": "Ich nutze", "spielt": "Ich spiele", "fährt": "Ich fahre",
        "lernt": "Ich lerne",
        "kommt": "Ich komme", "studiert": "Ich studiere", "allergisch": "Ich bin allergisch",
        "geburtstag": "Mein Geburtstag ist",
    ]

    /// Returns what a memory says, with its subject; nil when that cannot be read.
    package static func read(_ content: String) -> PersonFact? {
        guard content.utf8.count <= PersonFact.maxSentenceBytes else { return nil }
        var text = content[...].drop(while: \.isWhitespace)
        for subject in subjects where text.lowercased().hasPrefix(subject) {
            text = text.dropFirst(subject.count)
            break
        }
        let end = text.firstIndex { !$0.isLetter } ?? text.endIndex
        guard let verb = verbs[text[..<end].lowercased()] else { return FactFinder().find(in: content).first }
        let rest = text[end...].drop { $0 == ":" || $0.isWhitespace }
        return FactFinder().find(in: verb + " " + rest).first
    }
}
