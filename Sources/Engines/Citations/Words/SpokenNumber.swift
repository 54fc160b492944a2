import Language

/// What a word that may be a number is worth, in English, German and French.
enum SpokenNumber {
    /// The value of a folded word; nil when it is no number.
    static func value(_ word: String) -> Double? { values[word] }

    /// Whether a word is rather an article or a pronoun than a number: it may equal a number, never contradict one.
    static func isWeak(_ word: String) -> Bool { ["one", "once", "half", "single"].contains(word) }

    /// Whether a word is a multiple of ten, which the next word may add to: `sixty-two`.
    static func isTens(_ word: String) -> Bool { word.hasSuffix("ty") && values[word] != nil }

    private static let values: [String: Double] = {
        var values = NumberWords.cardinals(Set(WrittenLanguage.allCases)).mapValues(Double.init)
        for (word, place) in NumberWords.ordinals { values[word] = Double(place) }
        for (word, value) in ["once": 1, "single": 1, "half": 0.5, "twice": 2, "zweimal": 2] { values[word] = value }
        return values
    }()
}
