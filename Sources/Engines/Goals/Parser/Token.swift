import Text

/// A word, number or mark of an utterance.
struct Token {
    /// What it is.
    enum Kind {
        /// Digits, perhaps with `.`, `,`, `:`, `/` or `-` between them, and a sign.
        case number
        /// Letters, perhaps with `-`, `/` or `'` between them.
        case word
        /// Anything else, one character.
        case mark
    }

    let kind: Kind
    /// As it was written.
    let text: String
    /// For comparison.
    let folded: String
    /// Whether the token before ends where this one starts.
    let isAttached: Bool
    /// What a reader took the token for; nil as long as nobody did.
    var isUsed = false

    /// Tokens of one utterance at most.
    static let maxTokens = 400

    /// Cuts a text into tokens, in linear time; what is beyond ``maxTokens`` is left out.
    static func split(_ text: String) -> [Token] {
        let characters = Array(text)
        var tokens: [Token] = []
        var place = 0
        var end = 0
        func at(_ index: Int) -> Character { characters.indices.contains(index) ? characters[index] : " " }
        while place < characters.count, tokens.count < maxTokens {
            guard !characters[place].isWhitespace else {
                place += 1
                continue
            }
            let start = place
            let isFirst = start == 0 || at(start - 1).isWhitespace
            let kind: Kind
            if isDigit(at(place)) || (isFirst && "-+".contains(at(place)) && isDigit(at(place + 1))) {
                kind = .number
                place += 1
                while isDigit(at(place)) || (".,:/-".contains(at(place)) && isDigit(at(place + 1))) { place += 1 }
            } else if at(place).isLetter {
                kind = .word
                place += 1
                while at(place).isLetter || ("-/'’".contains(at(place)) && at(place + 1).isLetter) { place += 1 }
            } else {
                kind = .mark
                place += 1
            }
            let piece = String(characters[start..<place])
            tokens.append(
                Token(kind: kind, text: piece, folded: TextFolding.folded(piece), isAttached: start == end && start > 0)
            )
            end = place
        }
        return tokens
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
