import Language

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
        if utterance.number(index) != nil {
            guard let reading = WrittenNumber.digits(utterance, at: index) else { return nil }
            let end = index + reading.count
            let isThousands = thousands && utterance.word(end) == "k"
            if isThousands, let scaled = reading.value.multiplied(by: Rational(1000)) {
                return Reading(value: scaled, count: reading.count + 1)
            }
            // "20-minute"
            let hasHyphen =
                utterance.word(end) == "-" && utterance.token(end)?.isAttached == true
                && utterance.token(end + 1)?.isAttached == true && utterance.number(end + 1) == nil
            return Reading(value: reading.value, count: reading.count + (hasHyphen ? 1 : 0))
        }
        if let fraction = WrittenNumber.fractions[utterance.token(index)?.text ?? ""] {
            return Reading(value: fraction, count: 1)
        }
        let word = utterance.word(index)
        if let half = halves[word] { return Reading(value: half, count: 1) }
        if word == "half", ["a", "an"].contains(utterance.word(index + 1)), let half = Rational(1, over: 2) {
            return Reading(value: half, count: 2)
        }
        // "fünfeinhalb"
        if word.hasSuffix("einhalb"), let whole = NumberWords.whole(String(word.dropLast(7))),
            let value = Rational(whole).adding(halfOne)
        {
            return Reading(value: value, count: 1)
        }
        guard let whole = NumberWords.whole(word) else { return nil }
        if utterance.has(["and", "a", "half"], at: index + 1), let value = Rational(whole).adding(halfOne) {
            return Reading(value: value, count: 4)
        }
        return WrittenNumber.scaled(utterance, Reading(value: Rational(whole), count: 1), at: index)
    }

    private static let halfOne = Rational(1, over: 2) ?? .zero

    private static let halves: [String: Rational] = {
        let table = [
            ("anderthalb", 3, 2), ("eineinhalb", 3, 2), ("zweieinhalb", 5, 2), ("dreieinhalb", 7, 2),
            ("viereinhalb", 9, 2),
            ("halbe", 1, 2), ("halber", 1, 2), ("halben", 1, 2), ("halbes", 1, 2), ("dreiviertel", 3, 4),
        ]
        var halves: [String: Rational] = [:]
        for (word, above, below) in table { halves[word] = Rational(Int128(above), over: Int128(below)) }
        return halves
    }()
}
