/// Reads how often an amount was repeated: `2 x 20 min`, `3 sets of 12`, `6 times`, `twice`.
enum RepeatReader {
    /// A number and the words that state it.
    struct Reading {
        let factor: Rational
        let range: Range<Int>
    }

    private static let marks: Set<String> = ["x", "×", "mal", "*", "times", "time"]
    static let adverbs = [
        "once": 1, "twice": 2, "thrice": 3, "einmal": 1, "zweimal": 2, "dreimal": 3, "viermal": 4, "fünfmal": 5,
    ]

    /// The repetition before an amount that starts at an index.
    static func before(_ utterance: Utterance, _ index: Int) -> Reading? {
        if marks.contains(utterance.word(index - 1)), let number = NumberReader.read(utterance, at: index - 2),
            number.count == 1, number.value > .zero
        {
            return Reading(factor: number.value, range: (index - 2)..<index)
        }
        var place = index - 1
        while ["of", "with", "mit", "je", "à", "a", "von"].contains(utterance.word(place)), place > index - 4 {
            place -= 1
        }
        guard place < index - 1, ["set", "sets", "satz", "sätze", "sätzen"].contains(utterance.word(place)),
            let number = NumberReader.read(utterance, at: place - 1), number.count == 1, number.value > .zero
        else { return nil }
        return Reading(factor: number.value, range: (place - 1)..<index)
    }

    /// The repetition behind an amount that ends before an index.
    static func after(_ utterance: Utterance, _ index: Int) -> Reading? {
        let place = utterance.word(index) == "," ? index + 1 : index
        if let factor = adverbs[utterance.word(place)] {
            return Reading(factor: Rational(factor), range: index..<(place + 1))
        }
        guard let number = NumberReader.read(utterance, at: place),
            marks.contains(utterance.word(place + number.count)),
            utterance.number(place + number.count + 1) == nil
        else { return nil }
        return Reading(factor: number.value, range: index..<(place + number.count + 1))
    }
}
