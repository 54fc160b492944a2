/// A word, a number or a date of a text, with its place.
package struct TextWord: Sendable {
    /// The word in lower case.
    package let text: String
    /// The place in the text.
    package let range: Range<String.Index>
    /// Whether a comma, a colon, a full stop or another mark stands between the word before and this one.
    package let followsMark: Bool
    /// Whether the word begins with a capital.
    package let isCapital: Bool

    /// The words of a text, at most `limit`. Words keep their apostrophes and hyphens.
    ///
    /// - Parameter joiners: The marks that digits keep between them.
    package static func words(of text: Substring, limit: Int, joiners: String = ".-/") -> [TextWord] {
        var words: [TextWord] = []
        var index = text.startIndex
        var followsMark = false
        while index < text.endIndex, words.count < limit {
            let character = text[index]
            guard character.isLetter || character.isNumber else {
                if !character.isWhitespace { followsMark = true }
                index = text.index(after: index)
                continue
            }
            var end = text.index(after: index)
            while end < text.endIndex {
                let next = text[end]
                if next.isLetter || next.isNumber {
                    end = text.index(after: end)
                    continue
                }
                let after = text.index(after: end)
                let last = text[text.index(before: end)]
                guard after < text.endIndex else { break }
                let joinsNumbers = joiners.contains(next) && last.isNumber && text[after].isNumber
                let joinsLetters = "'’-".contains(next) && last.isLetter && text[after].isLetter
                guard joinsNumbers || joinsLetters else { break }
                end = text.index(after: after)
            }
            words.append(
                TextWord(
                    text: text[index..<end].lowercased().replacing("’", with: "'"), range: index..<end,
                    followsMark: followsMark,
                    isCapital: character.isUppercase))
            followsMark = false
            index = end
        }
        return words
    }
}

extension RandomAccessCollection<TextWord> where Index == Int {
    /// The word at a place; empty outside.
    package func word(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

    /// Whether words stand at a place, one after the other.
    package func has(_ words: [String], at index: Int) -> Bool {
        words.indices.allSatisfy { word(index + $0) == words[$0] }
    }
}
