/// A part of a document's text as models and search read it, with a map of its bytes to the canonical text.
///
/// In a paragraph, white space is one space, and words hyphenated at a line end are joined when lower case follows.
/// Ligatures are spelled out; soft hyphens and word joiners are dropped. Running heads are left out, and a paragraph
/// that they interrupt goes on. Blocks are separated by an empty line. Code and tables keep their lines.
///
/// Takes time linear in the range.
package struct ReadingView: Sendable, Hashable {
    package let text: String
    /// The canonical bytes that the view is of.
    package let range: Range<Int>
    private let map: OffsetMap

    /// Makes the view of a range.
    ///
    /// - Parameter range: In bytes of the canonical text, at scalar borders; nil for all.
    package init(_ document: Document, range: Range<Int>? = nil) {
        let all = 0..<document.text.utf8.count
        let range = (range ?? all).clamped(to: all)
        self.range = range
        var builder = ReadingViewBuilder(document, from: range.lowerBound)
        var place = range.lowerBound
        for index in Self.firstBlock(document.blocks, endingAfter: range.lowerBound)..<document.blocks.count {
            let block = document.blocks[index]
            let shown = block.range.clamped(to: max(place, range.lowerBound)..<max(place, range.upperBound))
            guard block.range.lowerBound < range.upperBound else { break }
            guard !shown.isEmpty else { continue }
            builder.addBetween(place..<shown.lowerBound)
            builder.add(shown, kind: block.kind)
            place = shown.upperBound
        }
        builder.addBetween(place..<range.upperBound)
        builder.finish()
        text = builder.text
        map = builder.map
    }

    /// Returns the smallest canonical range that holds what a range of ``text`` shows, in UTF-8 bytes. Ranges outside are
    /// clamped.
    package func canonicalRange(of range: Range<Int>) -> Range<Int> {
        map.canonical(range.clamped(to: 0..<map.viewEnd))
    }

    /// Returns the smallest range of ``text`` that holds what is shown of a canonical range, in UTF-8 bytes. Empty when
    /// nothing of the range is shown.
    package func viewRange(of range: Range<Int>) -> Range<Int> {
        map.view(range.clamped(to: self.range))
    }

    /// Pairs of a byte of ``text`` and its canonical byte, wherever the distance between the two changes. Each holds up to
    /// the next.
    package var distances: [(view: Int, canonical: Int)] { map.distances }

    private static func firstBlock(_ blocks: [DocumentBlock], endingAfter offset: Int) -> Int {
        var low = 0
        var high = blocks.count
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].range.upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
