/// Finds the texts between quotation marks.
enum Quotes {
    /// The longest quotation in characters.
    private static let maxCharacters = 200
    /// The most quotations of a question.
    private static let maxQuotes = 8

    private static let pairs: [Character: Set<Character>] = [
        "\"": ["\""], "“": ["”", "\""], "„": ["“", "”", "\""], "«": ["»"], "»": ["«"], "‚": ["‘"], "‘": ["’"],
    ]

    /// The quotations with their place, marks included.
    static func find(in text: String) -> [(text: String, range: Range<String.Index>)] {
        var found: [(text: String, range: Range<String.Index>)] = []
        var index = text.startIndex
        while index < text.endIndex, found.count < maxQuotes {
            defer { index = text.index(after: index) }
            guard let ends = pairs[text[index]] else { continue }
            let begin = text.index(after: index)
            let limit = text.index(begin, offsetBy: maxCharacters, limitedBy: text.endIndex) ?? text.endIndex
            guard let end = text[begin..<limit].firstIndex(where: ends.contains) else { continue }
            let words = text[begin..<end].split(whereSeparator: \.isWhitespace).joined(separator: " ")
            guard words.contains(where: { $0.isLetter || $0.isNumber }) else { continue }
            found.append((words, index..<text.index(after: end)))
            index = end
        }
        return found
    }
}
