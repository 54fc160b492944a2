/// Finds the pages that a question about a book names, such as `page 73`, `pp. 100–120` or `Seiten xii bis xv`.
struct PageReference: Sendable, Hashable {
    /// The printed number of the first page.
    var first: String
    /// The printed number of the last page; nil for one page.
    var last: String?

    private static let marks: Set<String> = ["page", "pages", "p", "pp", "seite", "seiten", "s"]
    private static let ranges: Set<String> = ["to", "through", "until", "and", "bis", "und"]

    /// The first pages that a question names; nil when it names none.
    init?(in question: String) {
        let words = Self.words(question)
        for (index, word) in words.enumerated() where Self.marks.contains(word.lowercased()) {
            let rest = words[(index + 1)...].drop { $0 == "." }
            guard let first = rest.first, Self.isNumber(first) else { continue }
            // A lone letter is a mark only before a dot or digits: "p. 5", not "S is".
            guard word.count > 1 || first.first?.isNumber ?? false || words[index + 1] == "." else { continue }
            self.first = first
            let next = rest.dropFirst()
            if let joint = next.first, Self.ranges.contains(joint.lowercased()) || Self.isDash(joint),
                let last = next.dropFirst().first, Self.isNumber(last)
            {
                self.last = last
            }
            return
        }
        return nil
    }

    /// Words of letters or digits, and each other character that is no white space.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in text.prefix(2000) {
            if character.isLetter || character.isNumber {
                word.append(character)
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
            if !character.isWhitespace { words.append(String(character)) }
        }
        return word.isEmpty ? words : words + [word]
    }

    private static func isDash(_ word: String) -> Bool { ["-", "–", "—", "‐", "‑"].contains(word) }

    /// Whether a word is a number of at most five digits, or a Roman one.
    private static func isNumber(_ word: String) -> Bool {
        (1...5).contains(word.count) && word.allSatisfy { ("0"..."9").contains($0) }
            || (1...8).contains(word.count) && word.allSatisfy { "ivxlc".contains($0) }
    }
}
