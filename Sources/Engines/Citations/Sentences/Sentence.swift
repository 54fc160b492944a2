/// A sentence of a text.
package struct Sentence: Sendable, Equatable {
    /// UTF-8 bytes of the text, without white space around them; with the markers that follow the sentence.
    package var range: Range<Int>
    /// Whether the sentence is a heading, which claims nothing.
    package var isHeading: Bool
    /// The markers that belong to the sentence: those within it and those right behind it.
    package var markers: [CitationMarker] = []

    /// The sentences of an answer in Markdown, with their markers.
    ///
    /// A line end ends a sentence. A marker belongs to the sentence that it follows; at the start of a block, to the
    /// first sentence there. Fenced code has no sentences. Time is linear in the length.
    ///
    /// - Parameter maxBytes: What lies behind this many bytes is left out.
    package static func sentences(ofAnswer answer: String, maxBytes: Int = 1 << 20) -> [Sentence] {
        sentences(ofAnswer: answer, in: ScalarText(answer, maxBytes: maxBytes))
    }

    /// - Parameter text: The answer, or its start.
    static func sentences(ofAnswer answer: String, in text: ScalarText) -> [Sentence] {
        let markers = CitationFilter.markers(in: answer).filter { $0.range.upperBound <= text.offsets.last ?? 0 }
        return SentenceSplitter(text, markers: markers).sentences(breaksAtLineEnds: true)
    }
}
