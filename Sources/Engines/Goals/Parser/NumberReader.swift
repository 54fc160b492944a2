import Text

/// Reads numbers in digits and words.
enum NumberReader {
    /// A number and the number of its tokens.
    struct Reading {
        let value: Rational
        let count: Int
    }

    /// The number at an index: `1,234.5`, `10k`, `twenty`, `forty-five`, `fünfundvierzig`, `two and a half`, `a`.
    ///
    /// A `k` directly behind the digits multiplies by 1000 only if `thousands` is true.
    static func read(_ utterance: Utterance, at index: Int, thousands: Bool = false) -> Reading? {
        if let text = utterance.number(index) {
            guard let value = Rational(parsing: text, style: utterance.language.numbers) else { return nil }
            let isThousands = thousands && utterance.word(index + 1) == "k"
            if isThousands, let scaled = value.multiplied(by: Rational(1000)) {
                return Reading(value: scaled, count: 2)
            }
            // "20-minute"
            let hasHyphen =
                utterance.word(index + 1) == "-" && utterance.token(index + 1)?.isAttached == true
                && utterance.token(index + 2)?.isAttached == true && utterance.number(index + 2) == nil
            return Reading(value: value, count: hasHyphen ? 2 : 1)
        }
        let word = utterance.word(index)
        if let half = halves[word] { return Reading(value: half, count: 1) }
        if word == "half", ["a", "an"].contains(utterance.word(index + 1)), let half = Rational(1, over: 2) {
            return Reading(value: half, count: 2)
        }
        guard let whole = whole(word) else { return nil }
        if utterance.has(["and", "a", "half"], at: index + 1), let value = Rational(whole).adding(halfOne) {
            return Reading(value: value, count: 4)
        }
        return Reading(value: Rational(whole), count: 1)
    }

    /// A whole number in words, 0 to 99.
    static func whole(_ word: String) -> Int? {
        if let value = words[word] { return value }
        let parts = word.split(separator: "-")
        if parts.count == 2, let tens = words[String(parts[0])], let ones = words[String(parts[1])], tens >= 20,
            ones < 10
        {
            return tens + ones
        }
        // German says the ones first: fünfundvierzig.
        guard let und = word.range(of: "und", limit: 8), let ones = words[String(word[..<und.lowerBound])],
            let tens = words[String(word[und.upperBound...])], (1...9).contains(ones), tens >= 20
        else { return nil }
        return tens + ones
    }

    private static let halfOne = Rational(1, over: 2) ?? .zero

    private static let halves: [String: Rational] = {
        let table = [
            ("anderthalb", 3, 2), ("eineinhalb", 3, 2), ("zweieinhalb", 5, 2), ("dreieinhalb", 7, 2),
            ("viereinhalb", 9, 2),
            ("halbe", 1, 2), ("halber", 1, 2), ("halben", 1, 2), ("½", 1, 2), ("¼", 1, 4), ("¾", 3, 4),
        ]
        var halves: [String: Rational] = [:]
        for (word, above, below) in table { halves[word] = Rational(Int128(above), over: Int128(below)) }
        return halves
    }()

    private static let words: [String: Int] = {
        let english =
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        let german =
            "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn"
        let moreEnglish = "seventeen eighteen nineteen twenty"
        let moreGerman = "siebzehn achtzehn neunzehn zwanzig"
        var words: [String: Int] = [:]
        for list in ["\(english) \(moreEnglish)", "\(german) \(moreGerman)"] {
            for (value, word) in list.split(separator: " ").enumerated() {
                words[TextFolding.folded(String(word))] = value
            }
        }
        for list in [
            "thirty forty fifty sixty seventy eighty ninety", "dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
        ] {
            for (index, word) in list.split(separator: " ").enumerated() {
                words[TextFolding.folded(String(word))] = 30 + 10 * index
            }
        }
        for word in ["a", "an", "ein", "eine", "einen", "einem", "einer"] { words[word] = 1 }
        return words
    }()
}

extension String {
    /// The first place of a short text that starts within the first `limit` characters.
    fileprivate func range(of other: String, limit: Int) -> Range<String.Index>? {
        var start = startIndex
        for _ in 0..<limit where start < endIndex {
            if self[start...].hasPrefix(other) {
                return start..<(index(start, offsetBy: other.count, limitedBy: endIndex) ?? endIndex)
            }
            start = index(after: start)
        }
        return nil
    }
}
