/// Cuts a long note into overlapping passages, for embedding models that read only the first few hundred tokens.
///
/// Cuts are at the best border between half and one and a half times ``targetBytes``. Borders are, best first: before a
/// Markdown heading or after a blank line, a line's end, a sentence's end, a space, between graphemes. The next passage
/// begins a little before the cut, at a sentence or a word, so that text near the cut is in both passages. Passages
/// exclude the white space around them.
///
/// Pure: the same note gives the same passages on every machine. Changed rules get a new ``version``.
package enum Chunker {
    /// Part of the embedding space's identity.
    package static let version = 1
    /// The content of a passage that the cut aims for, in UTF-8 bytes.
    package static let targetBytes = 1200
    /// The largest content of a passage in UTF-8 bytes, unless a single grapheme is longer. A note up to this size is
    /// one passage.
    package static let maxBytes = 1800
    /// The overlap with the passage before that the cut aims for, in UTF-8 bytes.
    package static let overlapBytes = 150
    /// The largest overlap with the passage before, in UTF-8 bytes.
    package static let maxOverlapBytes = 250
    /// The largest number of passages of a note, about 540 KB of text. Text after them has no vector and is found by
    /// its words only.
    package static let maxPassages = 512
    /// The title in front of each passage of a cut note is truncated to this many UTF-8 bytes.
    package static let maxTitleBytes = 400

    /// A part of a note.
    package struct Passage: Sendable, Hashable {
        /// The place in the note's content, in UTF-8 bytes; never within a grapheme.
        package var range: Range<Int>
        /// The text for the model, without its prefix: the note's title, a line end, the part.
        package var text: String

        package init(range: Range<Int>, text: String) {
            self.range = range
            self.text = text
        }
    }

    /// Returns the passages of a note, at least one, in order.
    ///
    /// A note of at most ``maxBytes`` is embedded whole, including its white space.
    package static func passages(title: String, content: String) -> [Passage] {
        let length = content.utf8.count
        guard length > maxBytes else {
            return [Passage(range: 0..<length, text: EmbeddedText.of(title: title, content: content))]
        }
        let title = shortened(title)
        var content = content
        content.makeContiguousUTF8()
        let ranges = ranges(of: TextBorders(content, limit: maxPassages * maxBytes))
        return ranges.map { range in
            let start = content.utf8.index(content.startIndex, offsetBy: range.lowerBound)
            let end = content.utf8.index(start, offsetBy: range.count)
            return Passage(
                range: range, text: EmbeddedText.of(title: title, content: String(content[start..<end])))
        }
    }

    /// The ranges of a text that is longer than one passage; one empty range when the text is blank.
    static func ranges(of borders: TextBorders) -> [Range<Int>] {
        let sizes = PassageSizes(
            target: targetBytes, most: maxBytes, overlap: overlapBytes, mostOverlap: maxOverlapBytes,
            count: maxPassages)
        let ranges = PassageCutter(borders: borders, sizes: sizes).ranges
        return ranges.isEmpty ? [0..<0] : ranges
    }

    private static func shortened(_ title: String) -> String {
        guard title.utf8.count > maxTitleBytes else { return title }
        var end = title.startIndex
        var bytes = 0
        for index in title.indices {
            bytes += title[index].utf8.count
            guard bytes <= maxTitleBytes else { break }
            end = title.index(after: index)
        }
        return String(title[..<end])
    }
}
