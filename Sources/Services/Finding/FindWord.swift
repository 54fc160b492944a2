package import Text

/// A word or a phrase of a search, and how much it counts.
package struct FindWord: Sendable {
    /// The most words of a search that count.
    package static let most = 32
    /// The weight of a word such as "the", where one that carries the text has 1: it decides only among equals.
    static let commonWeight = 0.1

    /// The word as written.
    package let text: String
    package let weight: Double
    package let needle: FoldedNeedle

    init(_ text: String, weight: Double) {
        (self.text, self.weight) = (text, weight)
        needle = FoldedNeedle(folded: TextFolding.folded(text))
    }
}
