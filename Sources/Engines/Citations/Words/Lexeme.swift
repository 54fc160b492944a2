import Text

/// A run of letters, a run of digits, or a sign.
struct Lexeme {
    enum Kind { case word, digits, sign }

    var kind: Kind
    /// Characters of the text.
    var range: Range<Int>
    /// A word as ``TextFolding`` folds it; digits in ASCII; a sign as it is.
    var folded: String
    /// Whether the first letter is a capital.
    var isCapital = false
    /// Whether white space stands before.
    var hasSpace = false
    /// Whether an apostrophe and an s stand behind.
    var isPossessive = false

    /// The lexemes of a range of a text. Apostrophes divide: `l'oncle` is two words, `don't` is `do` and `n't`.
    static func lexemes(of text: ScalarText, in range: Range<Int>) -> [Lexeme] {
        var found: [Lexeme] = []
        var index = range.lowerBound
        var hasSpace = true
        while index < range.upperBound, let scalar = text[index] {
            let start = index
            if scalar.isBlank {
                hasSpace = true
                index += 1
                continue
            }
            if let digit = MarkerGrammar.digit(scalar) {
                var digits = "\(digit)"
                index += 1
                while index < range.upperBound, let next = text[index].flatMap(MarkerGrammar.digit) {
                    digits += "\(next)"
                    index += 1
                }
                found.append(Lexeme(kind: .digits, range: start..<index, folded: digits, hasSpace: hasSpace))
            } else if isLetter(scalar) {
                // Each Han or kana character is a word.
                let isWide = (0x3040...0x9FFF).contains(scalar.value)
                index += 1
                while !isWide, index < range.upperBound, let next = text[index], isLetter(next) { index += 1 }
                found.append(
                    Lexeme(
                        kind: .word, range: start..<index, folded: folded(text, start..<index),
                        isCapital: scalar.isCapital, hasSpace: hasSpace))
            } else {
                index += 1
                found.append(Lexeme(kind: .sign, range: start..<index, folded: String(scalar), hasSpace: hasSpace))
            }
            hasSpace = false
        }
        return joinParticles(joinContractions(found))
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isLetter || !scalar.isASCII && scalar.properties.generalCategory == .nonspacingMark
    }

    /// The folded characters of a range.
    private static func folded(_ text: ScalarText, _ range: Range<Int>) -> String {
        let scalars = text.scalars[range.clamped(to: 0..<text.scalars.count)]
        guard scalars.allSatisfy(\.isASCII) else { return TextFolding.folded(text.string(range)) }
        // Words hold no capitals but letters.
        return String(decoding: scalars.map { UInt8(truncatingIfNeeded: $0.value | 0x20) }, as: UTF8.self)
    }

    /// Turns `don ' t` into `do`, `n't`, drops `' s` and the like.
    private static func joinContractions(_ lexemes: [Lexeme]) -> [Lexeme] {
        var joined: [Lexeme] = []
        var index = 0
        while index < lexemes.count {
            var lexeme = lexemes[index]
            let isApostrophe = lexeme.folded == "'" || lexeme.folded == "’"
            if isApostrophe, !lexeme.hasSpace, index + 1 < lexemes.count, !lexemes[index + 1].hasSpace,
                let last = joined.last, last.kind == .word
            {
                let next = lexemes[index + 1]
                switch next.folded {
                case "t" where last.folded.hasSuffix("n"):
                    joined.removeLast()
                    if last.folded != "can", last.folded != "won" {
                        joined.append(last.replacing(String(last.folded.dropLast())))
                    }
                    joined.append(last.replacing("n't"))
                    index += 2
                    continue
                case "s", "ll", "ve", "re", "d", "m":
                    joined[joined.count - 1].isPossessive = next.folded == "s"
                    index += 2
                    continue
                case "clock":
                    joined.removeLast()
                    joined.append(last.replacing("o'clock"))
                    index += 2
                    continue
                default:
                    // An elided word: `l'oncle`.
                    index += 1
                    continue
                }
            }
            if lexeme.kind == .sign, lexeme.folded == "’" { lexeme.folded = "'" }
            joined.append(lexeme)
            index += 1
        }
        return joined
    }

    private func replacing(_ text: String) -> Lexeme {
        var copy = self
        copy.folded = text
        return copy
    }

    /// Makes one word of a word and a particle behind a hyphen: `check-in`.
    private static func joinParticles(_ lexemes: [Lexeme]) -> [Lexeme] {
        var joined: [Lexeme] = []
        for lexeme in lexemes {
            if lexeme.kind == .word, !lexeme.hasSpace, ["in", "out", "up", "off", "down"].contains(lexeme.folded),
                joined.count > 1, let hyphen = joined.last, hyphen.folded == "-", !hyphen.hasSpace,
                joined[joined.count - 2].kind == .word
            {
                joined.removeLast()
                joined[joined.count - 1].folded += lexeme.folded
                joined[joined.count - 1].range = joined[joined.count - 1].range.lowerBound..<lexeme.range.upperBound
            } else {
                joined.append(lexeme)
            }
        }
        return joined
    }
}
