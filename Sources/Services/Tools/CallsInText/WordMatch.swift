/// Compares a word with known words as it arrives; the first wrong letter ends the comparison.
struct WordMatch {
    private var candidates: [[UInt8]]
    /// The letters so far.
    private(set) var word: [UInt8] = []

    /// Creates a comparison with words.
    init(_ words: [[UInt8]]) { candidates = words }

    /// Takes a letter.
    ///
    /// - Returns: Whether a known word begins with the letters so far.
    mutating func read(_ byte: UInt8) -> Bool {
        let place = word.count
        candidates = candidates.filter { place < $0.count && $0[place] == byte }
        word.append(byte)
        return !candidates.isEmpty
    }

    /// Whether the letters so far form a known word.
    var isWhole: Bool { candidates.contains { $0.count == word.count } }
}
