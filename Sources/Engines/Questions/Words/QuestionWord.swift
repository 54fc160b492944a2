/// A word, a number or a date of a question, with its place in the text.
struct QuestionWord: Sendable {
    /// The word in lower case.
    let text: String
    /// The place in the question.
    let range: Range<String.Index>
    /// Whether a comma, a colon, a full stop or another mark stands between the word before and this one.
    let followsMark: Bool
    /// Whether the word begins with a capital.
    let isCapital: Bool

    /// The words of a text, at most `limit`. Digits keep the points, slashes and hyphens between them; words keep their
    /// apostrophes and hyphens.
    static func words(of text: String, limit: Int) -> [QuestionWord] {
        var words: [QuestionWord] = []
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
                let joinsNumbers = ".-/".contains(next) && last.isNumber && text[after].isNumber
                let joinsLetters = "'’-".contains(next) && last.isLetter && text[after].isLetter
                guard joinsNumbers || joinsLetters else { break }
                end = text.index(after: after)
            }
            words.append(
                QuestionWord(
                    text: text[index..<end].lowercased().replacing("’", with: "'"), range: index..<end,
                    followsMark: followsMark,
                    isCapital: character.isUppercase))
            followsMark = false
            index = end
        }
        return words
    }
}

extension [QuestionWord] {
    /// The word at a place; empty outside of the question.
    func word(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

    /// Whether words stand at a place, one after the other.
    func has(_ words: [String], at index: Int) -> Bool {
        words.indices.allSatisfy { word(index + $0) == words[$0] }
    }
}
