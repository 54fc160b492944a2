import Text

/// The stems of a word in the index and in a query.
///
/// A word with marks has its stem, and a *markless* key: a sign that no text holds, and the stem without marks. So
/// `café` is found by `cafe` without being one of its stems. A query looks up the keys of its words, and the plain stems
/// of those that have marks.
enum WordStems {
    /// What begins a markless key; folded text never holds it.
    private static let sign: UInt8 = 0x01

    /// The keys of a folded word: its stem, and its markless key if it has marks.
    static func keys(of word: [UInt8]) -> [[UInt8]] {
        let stem = EnglishStemmer.stem(word)
        return markless(word).map { [stem, [sign] + $0] } ?? [stem]
    }

    /// The keys of words that differ from a folded word only by their marks.
    static func looseKeys(of word: [UInt8]) -> [[UInt8]] {
        guard let stem = markless(word) else { return [[sign] + EnglishStemmer.stem(word)] }
        return [[sign] + stem, stem]
    }

    private static func markless(_ word: [UInt8]) -> [UInt8]? {
        MarklessText.of(word).flatMap { $0.isEmpty ? nil : EnglishStemmer.stem($0) }
    }
}
