/// A word, a number or a date of a sentence, with its place.
struct ItemWord: Sendable {
    /// The word in lower case, with straight apostrophes.
    let text: String
    /// The place in the sentence.
    let range: Range<String.Index>
    /// Whether a comma or another mark stands between the word before and this one.
    let followsMark: Bool
    /// Whether the word begins with a capital.
    let isCapital: Bool

    /// The words of a sentence, at most `limit`. Digits keep the points and hyphens between them, words their apostrophes
    /// and hyphens.
    static func words(of text: Substring, limit: Int) -> [ItemWord] {
        var words: [ItemWord] = []
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
                guard after < text.endIndex else { break }
                let last = text[text.index(before: end)]
                let joinsNumbers = ".-".contains(next) && last.isNumber && text[after].isNumber
                let joinsLetters = "'’-".contains(next) && last.isLetter && text[after].isLetter
                guard joinsNumbers || joinsLetters else { break }
                end = text.index(after: after)
            }
            words.append(
                ItemWord(
                    text: text[index..<end].lowercased().replacing("’", with: "'"), range: index..<end,
                    followsMark: followsMark, isCapital: character.isUppercase))
            followsMark = false
            index = end
        }
        return words
    }
}

extension RandomAccessCollection<ItemWord> where Index == Int {
    /// The word at a place; empty outside.
    func word(_ index: Int) -> String { indices.contains(index) ? self[index].text : "" }

    /// Whether words stand at a place, one after the other.
    func has(_ words: [String], at index: Int) -> Bool {
        words.indices.allSatisfy { word(index + $0) == words[$0] }
    }
}
