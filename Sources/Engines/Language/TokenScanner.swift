/// Finds the words, numbers and marks of a text one after the other, in linear time.
package struct TokenScanner: IteratorProtocol {
    /// What a token is.
    package enum Kind: Sendable {
        /// Digits, perhaps with marks between them and a sign.
        case number
        /// Letters, perhaps with marks between them.
        case word
        /// Any other character except white space.
        case mark
    }

    /// A token and its place.
    package struct Token {
        /// What it is.
        package let kind: Kind
        /// The place in the text.
        package let range: Range<String.Index>
        /// Whether the token before ends where this one starts.
        package let isAttached: Bool
        let first: Character
    }

    /// Which characters make one token.
    package struct Rules: Sendable {
        /// The marks that digits keep between them.
        let digitJoiners: String
        /// The marks that letters keep between them.
        let letterJoiners: String
        /// Whether letters and digits make one word, as in `5th`. Then digits are those of all scripts, and a sign is a mark.
        let mixes: Bool

        static func sentence(digitJoiners: String) -> Rules {
            Rules(digitJoiners: digitJoiners, letterJoiners: "'’-", mixes: true)
        }

        /// For amounts: `5km` is a number and a word, `-5` and `3:30` are numbers, and `km/h` is a word.
        package static let amounts = Rules(digitJoiners: ".,:/-", letterJoiners: "-/'’", mixes: false)
    }

    private let text: Substring
    private let rules: Rules
    private var place: String.Index

    /// Starts before the first token of a text.
    package init(_ text: Substring, _ rules: Rules) {
        self.text = text
        self.rules = rules
        place = text.startIndex
    }

    /// The next token; nil at the end of the text.
    package mutating func next() -> Token? {
        let before = place
        while place < text.endIndex, text[place].isWhitespace { place = text.index(after: place) }
        guard place < text.endIndex else { return nil }
        let start = place
        let isAttached = start == before && start > text.startIndex
        let first = text[start]
        place = text.index(after: start)
        let kind = kind(of: first, isAttached: isAttached)
        if kind != .mark { skipRest(of: kind, behind: first) }
        return Token(kind: kind, range: start..<place, isAttached: isAttached, first: first)
    }

    private func isDigit(_ character: Character) -> Bool {
        rules.mixes ? character.isNumber : ("0"..."9").contains(character)
    }

    /// The kind of the token that begins with a character; the next place is the one behind the character.
    private func kind(of first: Character, isAttached: Bool) -> Kind {
        if first.isLetter { return .word }
        if isDigit(first) { return .number }
        let isSign = !rules.mixes && !isAttached && "-+".contains(first)
        return isSign && place < text.endIndex && isDigit(text[place]) ? .number : .mark
    }

    /// Moves the place behind the token.
    private mutating func skipRest(of kind: Kind, behind first: Character) {
        var last = first
        while place < text.endIndex {
            let next = text[place]
            let belongs =
                rules.mixes ? next.isLetter || next.isNumber : kind == .word ? next.isLetter : isDigit(next)
            if !belongs {
                let behind = text.index(after: place)
                guard behind < text.endIndex, joins(next, last, text[behind]) else { return }
                place = behind
            }
            last = text[place]
            place = text.index(after: place)
        }
    }

    /// Whether a mark joins the characters beside it.
    private func joins(_ mark: Character, _ last: Character, _ next: Character) -> Bool {
        rules.digitJoiners.contains(mark) && isDigit(last) && isDigit(next)
            || rules.letterJoiners.contains(mark) && last.isLetter && next.isLetter
    }
}
