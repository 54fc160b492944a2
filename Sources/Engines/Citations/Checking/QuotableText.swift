import Text

/// A text folded for finding quotations: case, quotation marks, dashes, hyphens and white space do not count.
struct QuotableText: Equatable {
    private let words: [String]

    /// - Parameter range: Characters of the text.
    init(_ text: ScalarText, _ range: Range<Int>) {
        self.init(Lexeme.lexemes(of: text, in: range))
    }

    init(_ lexemes: [Lexeme]) { words = lexemes.filter { $0.kind != .sign }.map(\.folded) }

    /// Words of the text.
    var count: Int { words.count }

    /// Whether all words of a quotation stand in the text, in their order and with nothing between. Time is linear
    /// (Knuth, Morris and Pratt 1977).
    func contains(_ quotation: QuotableText) -> Bool {
        let needle = quotation.words
        guard !needle.isEmpty else { return true }
        var borders = [0]
        var length = 0
        for index in needle.indices.dropFirst() {
            while length > 0, needle[index] != needle[length] { length = borders[length - 1] }
            if needle[index] == needle[length] { length += 1 }
            borders.append(length)
        }
        length = 0
        for word in words {
            while length > 0, word != needle[length] { length = borders[length - 1] }
            if word == needle[length] { length += 1 }
            if length == needle.count { return true }
        }
        return false
    }

    /// The quotations of at least two words within a range.
    static func quotations(in text: ScalarText, _ range: Range<Int>) -> [QuotableText] {
        var found: [QuotableText] = []
        var open: (start: Int, closers: String)?
        for index in range {
            guard let scalar = text[index], found.count < 16 else { break }
            if let quotation = open, quotation.closers.unicodeScalars.contains(scalar) {
                let inner = QuotableText(text, quotation.start..<index)
                if inner.count >= 2 { found.append(inner) }
                open = nil
            } else if open == nil, let closers = Self.closers[scalar] {
                open = (index + 1, closers)
            }
        }
        return found
    }

    private static let closers: [Unicode.Scalar: String] = [
        "\"": "\"", "“": "”“", "„": "“”", "»": "«", "«": "»", "「": "」", "『": "』",
    ]
}
