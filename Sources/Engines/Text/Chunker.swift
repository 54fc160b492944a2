/// Cuts a long note into overlapping passages, for embedding models that read only the first few hundred tokens.
///
/// Cuts are at the best border between half and one and a half times ``targetBytes``. Borders are, best first: before a
/// Markdown heading or after a blank line, a line's end, a sentence's end, a space, between graphemes. The next passage
/// begins a little before the cut, at a sentence or a word, so that text near the cut is in both passages. Passages
/// exclude the white space around them.
///
/// Pure: the same note gives the same passages on every machine. Changed rules get a new ``version``.
public enum Chunker {
    /// Part of the embedding space's identity.
    public static let version = 1
    /// The content of a passage that the cut aims for, in UTF-8 bytes.
    public static let targetBytes = 1200
    /// The largest content of a passage in UTF-8 bytes, unless a single grapheme is longer. A note up to this size is
    /// one passage.
    public static let maxBytes = 1800
    /// The overlap with the passage before that the cut aims for, in UTF-8 bytes.
    public static let overlapBytes = 150
    /// The largest overlap with the passage before, in UTF-8 bytes.
    public static let maxOverlapBytes = 250
    /// The largest number of passages of a note, about 540 KB of text. Text after them has no vector and is found by
    /// its words only.
    public static let maxPassages = 512
    /// The title in front of each passage of a cut note is truncated to this many UTF-8 bytes.
    public static let maxTitleBytes = 400

    /// A part of a note.
    public struct Passage: Sendable, Hashable {
        /// The place in the note's content, in UTF-8 bytes; never within a grapheme.
        public var range: Range<Int>
        /// The text for the model, without its prefix: the note's title, a line end, the part.
        public var text: String

        /// Creates a passage.
        public init(range: Range<Int>, text: String) {
            self.range = range
            self.text = text
        }
    }

    /// Returns the passages of a note, at least one, in order.
    ///
    /// A note of at most ``maxBytes`` is embedded whole, including its white space.
    public static func passages(title: String, content: String) -> [Passage] {
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
        let end = borders.end(before: borders.count)
        var ranges: [Range<Int>] = []
        var start = borders.start(after: 0)
        // The start of the text that is in no passage yet.
        var fresh = start
        while fresh < end, ranges.count < maxPassages {
            if end - start <= maxBytes {
                ranges.append(start..<end)
                break
            }
            let cut = nextCut(borders, from: start, after: fresh)
            ranges.append(start..<borders.end(before: cut))
            fresh = borders.start(after: cut)
            // After a long gap there is nothing to share.
            start = fresh - cut > overlapBytes ? fresh : overlap(borders, cut: cut, after: start) ?? fresh
        }
        return ranges.isEmpty ? [0..<0] : ranges
    }

    /// The end of the passage that begins at `start`: after `fresh`, so that every passage has new text.
    private static func nextCut(_ borders: TextBorders, from start: Int, after fresh: Int) -> Int {
        let earliest = start + targetBytes / 2
        let window = max(earliest, fresh + 1)..<start + maxBytes + 1
        for kind in TextBorders.Kind.allCases.reversed() {
            if let cut = borders.nearest(to: start + targetBytes, in: window, atLeast: kind) { return cut }
        }
        // A grapheme of more than a thousand bytes is in the way: stop before it, or take it whole.
        if fresh + 1 < earliest, let cut = borders.last(in: fresh + 1..<earliest) { return cut }
        return borders.first(from: start + maxBytes + 1)
    }

    /// The start of the next passage when it overlaps the one that began at `start` and ended at `cut`; nil when no
    /// border fits.
    private static func overlap(_ borders: TextBorders, cut: Int, after start: Int) -> Int? {
        let lowest = max(start + 1, cut - maxOverlapBytes)
        let window = lowest..<max(lowest, cut - overlapBytes / 3)
        for kind in [TextBorders.Kind.sentence, .space, .grapheme] {
            if let border = borders.nearest(to: cut - overlapBytes, in: window, atLeast: kind) {
                return borders.start(after: border)
            }
        }
        return nil
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
