import Text

/// Titles of notes.
enum NoteTitle {
    /// The most characters of a title that is made of a text.
    private static let most = 80

    /// A title in one line.
    static func line(_ title: String) -> String {
        title.contains("\n")
            ? title.split(separator: "\n").map { $0.trimming(\.isWhitespace) }.joined(separator: " ") : title
    }

    /// The first line of a text that has letters, cut between words; empty for a text without one.
    static func first(of text: String) -> String {
        let line = text.split(separator: "\n").first { $0.contains { $0.isLetter || $0.isNumber } } ?? ""
        var title = line.trimming { $0.isWhitespace || "#>*_`".contains($0) }
        for sign in ["- [ ] ", "- [x] ", "- "] where title.hasPrefix(sign) {
            title = String(title.dropFirst(sign.count))
        }
        guard title.count > most else { return title }
        let start = title.prefix(most)
        return (start.lastIndex { $0.isWhitespace }.map { start[..<$0] } ?? start) + " …"
    }
}
