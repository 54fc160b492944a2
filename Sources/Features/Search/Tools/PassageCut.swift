package import GatewayAPI
import Text

/// Chooses the part of a note that a model reads.
package enum PassageCut {
    /// The largest part, in UTF-8 bytes.
    package static let maxBytes = 1800

    /// The part of a retrieved note that matches best: the whole note if it is short, else the passage that the search
    /// names, else the text around the first match, else the beginning.
    package static func part(of hit: RetrievedNote) -> (range: Range<Int>, text: String) {
        let length = hit.note.content.utf8.count
        guard length > maxBytes else { return (0..<length, hit.note.content) }
        if let passage = hit.passage, passage.start < passage.end, passage.end <= length {
            return UTF8Border.part(of: hit.note.content, passage.start..<passage.end)
        }
        let match = hit.explanation?.spans.first { $0.field == "content" }?.start ?? 0
        return around(match, in: hit.note.content)
    }

    /// Of a longer text only a window around the place is cut into passages.
    private static let windowBytes = 64 << 10

    /// The passage of a note around a byte, on borders of its passages; in a very long note, of those near the byte.
    package static func around(_ offset: Int, in content: String) -> (range: Range<Int>, text: String) {
        if content.utf8.count > windowBytes {
            let start = max(0, offset - windowBytes / 4)
            let window = UTF8Border.part(of: content, start..<start + windowBytes / 2)
            let part = around(offset - window.range.lowerBound, in: window.text)
            let first = window.range.lowerBound + part.range.lowerBound
            return (first..<first + part.range.count, part.text)
        }
        let passages = Chunker.passages(title: "", content: content)
        let range = passages.first { $0.range.contains(offset) }?.range ?? passages.first?.range ?? 0..<0
        return UTF8Border.part(of: content, range)
    }
}
