import Language

/// Reads a number of several tokens as a whole: `5 1/2`, `5½`, `1e3`, `10 000`, `10'000`, `5 and a half`.
///
/// A part of a number is never an amount: what is unclear is refused, such as `5 - 6`.
enum WrittenNumber {
    /// The fractions that have a character of their own.
    static let fractions: [String: Rational] = {
        let table: [(Character, Int128, Int128)] = [
            ("½", 1, 2), ("⅓", 1, 3), ("⅔", 2, 3), ("¼", 1, 4), ("¾", 3, 4), ("⅕", 1, 5), ("⅖", 2, 5), ("⅗", 3, 5),
            ("⅘", 4, 5), ("⅙", 1, 6), ("⅚", 5, 6), ("⅐", 1, 7), ("⅛", 1, 8), ("⅜", 3, 8), ("⅝", 5, 8), ("⅞", 7, 8),
            ("⅑", 1, 9), ("⅒", 1, 10),
        ]
        var fractions: [String: Rational] = [:]
        for (character, above, below) in table { fractions[String(character)] = Rational(above, over: below) }
        return fractions
    }()

    /// What may stand between a whole number and its fraction in words.
    private static let parts: [(words: [String], above: Int128, below: Int128)] = [
        (["and", "a", "half"], 1, 2), (["and", "one", "half"], 1, 2), (["and", "a", "quarter"], 1, 4),
        (["and", "three", "quarters"], 3, 4), (["and", "a", "third"], 1, 3), (["and", "two", "thirds"], 2, 3),
        (["und", "ein", "halber"], 1, 2), (["und", "eine", "halbe"], 1, 2), (["und", "einen", "halben"], 1, 2),
        (["und", "ein", "halbes"], 1, 2), (["und", "ein", "viertel"], 1, 4), (["und", "eine", "viertel"], 1, 4),
        (["und", "drei", "viertel"], 3, 4), (["und", "dreiviertel"], 3, 4),
    ]

    /// The number that begins with the digits at an index; nil for digits that make no sense.
    static func digits(_ utterance: Utterance, at index: Int) -> NumberReader.Reading? {
        guard let text = utterance.number(index) else { return nil }
        var count = 1
        var value: Rational
        if let (grouped, tokens) = grouped(utterance, at: index) {
            (value, count) = (grouped, tokens)
        } else if let joined = joined(text) {
            value = joined
        } else if let plain = Rational(parsing: text, style: utterance.language.numbers) {
            guard let whole = thousands(text, plain, utterance, at: index) else { return nil }
            value = whole
        } else {
            return nil
        }
        if let power = exponent(utterance, at: index + count) {
            guard let scale = Rational(10).power(power.value), let scaled = value.multiplied(by: scale) else {
                return nil
            }
            (value, count) = (scaled, count + power.count)
        } else if let part = part(utterance, after: index, count, text) {
            guard let sum = value.adding(part.value) else { return nil }
            (value, count) = (sum, count + part.count)
        }
        return scaled(utterance, NumberReader.Reading(value: value, count: count), at: index)
    }

    /// The reading times a word such as `thousand` behind it.
    static func scaled(
        _ utterance: Utterance, _ reading: NumberReader.Reading, at index: Int
    ) -> NumberReader.Reading? {
        guard let scale = NumberWords.scales[utterance.word(index + reading.count)] else { return reading }
        return reading.value.multiplied(by: Rational(scale)).map {
            NumberReader.Reading(value: $0, count: reading.count + 1)
        }
    }

    /// `10 000`, `1 234 567`, `10'000`: groups of three digits behind one to three.
    private static func grouped(_ utterance: Utterance, at index: Int) -> (Rational, Int)? {
        func isDigits(_ text: String) -> Bool { text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard let first = utterance.number(index), isDigits(first), first.utf8.count <= 3, first.utf8.first != 0x30
        else { return nil }
        var digits = first
        var place = index + 1
        while place - index < 12 {
            let isMarked =
                ["'", "’", "_"].contains(utterance.word(place)) && utterance.token(place)?.isAttached == true
                && utterance.token(place + 1)?.isAttached == true
            let next = isMarked ? place + 1 : place
            guard let group = utterance.number(next), group.utf8.count == 3, isDigits(group) else { break }
            digits += group
            place = next + 1
        }
        guard place > index + 1 else { return nil }
        return Rational(parsing: digits).map { ($0, place - index) }
    }

    /// `5-1/2` as one token.
    private static func joined(_ text: String) -> Rational? {
        let sides = text.split(separator: "-", omittingEmptySubsequences: false)
        guard sides.count == 2, !sides[0].isEmpty, let whole = Int(sides[0]),
            let part = properFraction(String(sides[1]))
        else { return nil }
        return Rational(whole).adding(part)
    }

    /// A decimal of three zeros is a number of thousands of another language if things are counted: nobody writes `10,000` for
    /// 10 steps. Of another unit it may be either number: nil.
    private static func thousands(
        _ text: String, _ value: Rational, _ utterance: Utterance, at index: Int
    ) -> Rational? {
        let mark: Character = utterance.language.numbers == .german ? "," : "."
        let sides = text.split(separator: mark, omittingEmptySubsequences: false)
        guard sides.count == 2, sides[1] == "000", (1...3).contains(sides[0].utf8.count), sides[0].first != "0" else {
            return value
        }
        // "5.000 more steps"
        let unit = (MeasureReader.unit(utterance, at: index + 1) ?? MeasureReader.unit(utterance, at: index + 2))?.unit
        guard let unit, unit.dimension.powers.count == 1, case .counted = unit.dimension.powers.first?.base else {
            return nil
        }
        return value.multiplied(by: Rational(1000))
    }

    /// `e3`, `E-3` behind digits.
    private static func exponent(_ utterance: Utterance, at index: Int) -> (value: Int, count: Int)? {
        guard utterance.word(index) == "e", utterance.token(index)?.isAttached == true else { return nil }
        let sign = utterance.word(index + 1)
        let hasSign = ["-", "+"].contains(sign)
        let place = hasSign ? index + 2 : index + 1
        guard let text = utterance.number(place), utterance.token(place)?.isAttached == true, let power = Int(text),
            (0...400).contains(power), !hasSign || utterance.token(index + 1)?.isAttached == true
        else { return nil }
        return (sign == "-" ? -power : power, hasSign ? 3 : 2)
    }

    /// The fraction behind a whole number: `1/2`, `½`, `and a half`.
    private static func part(
        _ utterance: Utterance, after index: Int, _ count: Int, _ text: String
    ) -> (value: Rational, count: Int)? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let place = index + count
        if let fraction = fractions[utterance.token(place)?.text ?? ""] { return (fraction, 1) }
        if let fraction = utterance.number(place).flatMap(properFraction) { return (fraction, 1) }
        for join in ["and", "und", "-", "+", "&"] where utterance.word(place) == join {
            if let fraction = fractions[utterance.token(place + 1)?.text ?? ""] { return (fraction, 2) }
            if let fraction = utterance.number(place + 1).flatMap(properFraction) { return (fraction, 2) }
        }
        for part in parts where utterance.has(part.words, at: place) {
            return Rational(part.above, over: part.below).map { ($0, part.words.count) }
        }
        return nil
    }

    /// `1/2`: a fraction between 0 and 1.
    private static func properFraction(_ text: String) -> Rational? {
        let sides = text.split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let above = Int128(sides[0]), let below = Int128(sides[1]), above > 0, above < below,
            below <= 100
        else { return nil }
        return Rational(above, over: below)
    }

    /// Where the number at an index begins, if it is a part of a larger number, a range or a choice that no rule reads; nil if
    /// it stands for itself.
    static func beginning(_ utterance: Utterance, of index: Int) -> Int? {
        var first: Int?
        while let found = before(utterance, first ?? index) { first = found }
        return first
    }

    /// Words between the two ends of a range, or two amounts to choose from.
    static let rangeWords: Set<String> = ["-", "–", "—", "to", "or", "bis", "oder"]

    private static func before(_ utterance: Utterance, _ index: Int) -> Int? {
        func isNumber(_ place: Int) -> Bool {
            if utterance.number(place) != nil || fractions[utterance.token(place)?.text ?? ""] != nil { return true }
            let word = utterance.word(place)
            return NumberWords.scales[word] != nil
                || NumberWords.whole(word).map { $0 > 1 || word == "one" || word == "eins" } ?? false
        }
        let before = utterance.word(index - 1)
        if isNumber(index - 1) { return index - 1 }
        if rangeWords.contains(before) || ["/", "÷", "+"].contains(before), isNumber(index - 2) { return index - 2 }
        if ["and", "und"].contains(before), isNumber(index - 2),
            ["between", "zwischen"].contains(utterance.word(index - 3))
        {
            return index - 3
        }
        // The exponent of a number that is too large: "1e999".
        if before == "e", utterance.token(index)?.isAttached == true, isNumber(index - 2) { return index - 2 }
        return nil
    }
}
