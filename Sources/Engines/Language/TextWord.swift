/// A word, a number or a date of a text, with its place.
package struct TextWord: Sendable {
    /// The word in lower case.
    package var text: String
    /// The place in the text.
    package let range: Range<String.Index>
    /// Whether a comma, a colon, a full stop or another mark stands between the word before and this one.
    package var followsMark: Bool
    /// Whether the word begins with a capital.
    package var isCapital: Bool

    /// The words of a text, at most `limit`. Words keep their apostrophes and hyphens.
    ///
    /// - Parameter joiners: The marks that digits keep between them.
    package static func words(of text: Substring, limit: Int, joiners: String = ".-/") -> [TextWord] {
        var scanner = TokenScanner(text, .sentence(digitJoiners: joiners))
        var words: [TextWord] = []
        var followsMark = false
        while words.count < limit, let token = scanner.next() {
            guard token.kind != .mark else {
                followsMark = true
                continue
            }
            words.append(
                TextWord(
                    text: text[token.range].lowercased().replacing("’", with: "'"), range: token.range,
                    followsMark: followsMark, isCapital: token.first.isUppercase))
            followsMark = false
        }
        return words
    }
}

extension [TextWord] {
    /// The word at a place; empty outside.
    package func word(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

    /// Whether words stand at a place, one after the other.
    package func has(_ words: [String], at index: Int) -> Bool {
        words.indices.allSatisfy { word(index + $0) == words[$0] }
    }
}
