/// Cuts a long note into overlapping passages, for embedding models that read only the first few hundred tokens.
///
/// A cut is made where the text has a border, the best that lies between half and one and a half times
/// ``targetBytes``: before a Markdown heading or after a blank line, else at a line's end, a sentence's end, a space,
/// and anywhere between two graphemes when there is nothing else. The next passage begins a little before the cut, at a
/// sentence or a word, so that what stands there is found from both sides. White space around a passage belongs to none.
///
/// Pure: the same note gives the same passages on every machine; another rule gets another ``version``.
public enum Chunker {
    /// Part of the embedding space's identity.
    public static let version = 1
    /// UTF-8 bytes of content that a passage should have.
    public static let targetBytes = 1200
    /// UTF-8 bytes of content that a passage has at most, unless a single grapheme is longer. A note that is not longer
    /// is one passage.
    public static let maxBytes = 1800
    /// UTF-8 bytes that a passage should share with the one before it.
    public static let overlapBytes = 150
    /// UTF-8 bytes that it shares with it at most.
    public static let maxOverlapBytes = 250
    /// Passages of a note at most, about 540 KB of text. What follows is left out: it is found by its words only.
    public static let maxPassages = 512
    /// UTF-8 bytes of a title that stand before each passage of a note that is cut; what is longer is left out there.
    public static let maxTitleBytes = 400

    /// A part of a note.
    public struct Passage: Sendable, Hashable {
        /// Where it stands in the note's content, in UTF-8 bytes; never within a grapheme.
        public var range: Range<Int>
        /// What the model reads, without its prefix: the note's title, a line end, the part.
        public var text: String

        /// Creates a passage.
        public init(range: Range<Int>, text: String) {
            self.range = range
            self.text = text
        }
    }

    /// The passages of a note, at least one, in their order.
    ///
    /// A note of at most ``maxBytes`` is embedded whole, white space and all.
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

    /// The ranges of a text that is longer than one passage; one that is empty when the text is blank.
    static func ranges(of borders: TextBorders) -> [Range<Int>] {
        let end = borders.end(before: borders.count)
        var ranges: [Range<Int>] = []
        var start = borders.start(after: 0)
        // Where the text that no passage has yet begins.
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

    /// Where the passage that begins at `start` ends: after `fresh`, so that every passage brings something new.
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

    /// Where the next passage begins when it shares text with the one that began at `start` and ended at `cut`; nil when
    /// there is no border for that.
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
