/// A citation in an answer, such as `[1]`, `[2, 3]`, `[1-3]`, `【1】`, `［１］` or `【1†source】`.
package struct CitationMarker: Sendable, Equatable {
    /// UTF-8 bytes of the answer from the opening to the closing bracket.
    package var range: Range<Int>
    /// The cited numbers in the order of the text, each once, 1 to ``MarkerGrammar/maxNumbers`` of them. A number may
    /// belong to no passage.
    package var numbers: [Int]

    /// Creates a marker.
    package init(range: Range<Int>, numbers: [Int]) {
        self.range = range
        self.numbers = numbers
    }
}
