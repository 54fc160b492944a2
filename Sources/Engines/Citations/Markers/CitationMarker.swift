/// A citation in an answer, such as `[1]`, `[2, 3]`, `[1-3]`, `[Note 1]`, `(see note 1)`, `【1】` or `【1†source】`; see
/// ``MarkerGrammar``.
package struct CitationMarker: Sendable, Equatable {
    /// UTF-8 bytes of the answer from the opening to the closing bracket.
    package var range: Range<Int>
    /// The cited numbers in the order of the text, each once, 1 to ``MarkerGrammar/maxNumbers`` of them. A number may
    /// belong to no passage.
    package var numbers: [Int]
    /// Whether it may be something else, a bare number in parentheses: then it is a citation only where passages have its numbers.
    package var isLoose: Bool

    package init(range: Range<Int>, numbers: [Int], isLoose: Bool = false) {
        self.range = range
        self.numbers = numbers
        self.isLoose = isLoose
    }
}
