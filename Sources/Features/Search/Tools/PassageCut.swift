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

    /// The passage of a note around a byte, on borders of its passages.
    package static func around(_ offset: Int, in content: String) -> (range: Range<Int>, text: String) {
        let passages = Chunker.passages(title: "", content: content)
        let range = passages.first { $0.range.contains(offset) }?.range ?? passages.first?.range ?? 0..<0
        return UTF8Border.part(of: content, range)
    }
}
