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
            return part(of: hit.note.content, passage.start..<passage.end)
        }
        let match = hit.explanation?.spans.first { $0.field == "content" }?.start ?? 0
        return around(match, in: hit.note.content)
    }

    /// The passage of a note around a byte, on borders of its passages.
    package static func around(_ offset: Int, in content: String) -> (range: Range<Int>, text: String) {
        let passages = Chunker.passages(title: "", content: content)
        let range = passages.first { $0.range.contains(offset) }?.range ?? passages.first?.range ?? 0..<0
        return part(of: content, range)
    }

    /// The text of a range of bytes, which becomes whole characters.
    package static func part(of content: String, _ range: Range<Int>) -> (range: Range<Int>, text: String) {
        let utf8 = content.utf8
        // The first byte of the scalar that an offset lies in.
        func border(_ offset: Int) -> String.Index {
            var index = utf8.index(utf8.startIndex, offsetBy: min(max(0, offset), utf8.count))
            while index > utf8.startIndex, index < utf8.endIndex, utf8[index] & 0xC0 == 0x80 {
                index = utf8.index(before: index)
            }
            return index
        }
        let (start, end) = (border(range.lowerBound), border(range.upperBound))
        guard start < end else { return (0..<0, "") }
        let lower = utf8.distance(from: utf8.startIndex, to: start)
        return (lower..<lower + utf8.distance(from: start, to: end), String(content[start..<end]))
    }
}
