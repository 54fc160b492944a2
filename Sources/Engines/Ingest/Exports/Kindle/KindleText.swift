/// Cuts the text of `My Clippings.txt` into its entries.
struct KindleText {
    /// An entry, or one that is none.
    enum Entry {
        case clipping(KindleClipping)
        /// Lines that are no clipping.
        case text(String, line: Int, isCut: Bool)
    }

    /// The part of an entry that is known so far.
    private struct Parts {
        var book: Substring
        var line: Int
        var metadata: KindleMetadata?
        /// Where the text begins: behind the second line.
        var text: String.Index?
    }

    private let text: String
    private var place: String.Index
    private var number = 0

    init(_ text: String) {
        self.text = text
        place = text.startIndex
    }

    private static func isBorder(_ line: Substring) -> Bool {
        line.utf8.count >= 5 && line.hasPrefix("=====")
            && line.trimming(\.isWhitespace).utf8.allSatisfy { $0 == UInt8(ascii: "=") }
    }

    /// The next entry; nil at the end. Empty entries are passed over.
    mutating func next() -> Entry? {
        var parts: Parts?
        while place < text.endIndex {
            let start = place
            let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
            place = end == text.endIndex ? end : text.utf8.index(after: end)
            number += 1
            let line = text[start..<end]
            if Self.isBorder(line) {
                if let parts { return entry(parts, to: start, isCut: false) }
            } else if parts == nil {
                if !line.allSatisfy(Self.isBlank) { parts = Parts(book: line, line: number) }
            } else if parts?.text == nil, !line.allSatisfy(Self.isBlank) {
                parts?.metadata = KindleMetadata(line.trimming(\.isWhitespace))
                parts?.text = place
            }
        }
        return parts.map { entry($0, to: text.endIndex, isCut: true) }
    }

    private func entry(_ parts: Parts, to end: String.Index, isCut: Bool) -> Entry {
        guard let metadata = parts.metadata, let start = parts.text else {
            let lines = text[parts.book.startIndex..<end].trimming(\.isWhitespace)
            return .text(lines, line: parts.line, isCut: isCut)
        }
        return .clipping(
            KindleClipping(
                bookLine: parts.book.trimming(Self.isBlank), metadata: metadata,
                text: text[min(start, end)..<end].trimming(\.isWhitespace), line: parts.line, isCut: isCut))
    }

    /// White space, and the mark that a Kindle writes before each book.
    private static func isBlank(_ sign: Character) -> Bool { sign.isWhitespace || sign == "\u{FEFF}" }
}
