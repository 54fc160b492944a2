import CMemory
import Text

/// A folded text that maps each folded byte to the start of its character in the original text.
struct FoldedText {
    private let folded: [UInt8]
    /// For each folded byte, and for the end: the UTF-8 offset of its character. nil when folding moved no byte.
    private let starts: [Int]?

    /// Whether the text is ASCII, which has no marks.
    var isASCII: Bool { starts == nil }

    /// - Parameter isMarkless: Whether letters lose their marks (``MarklessText``).
    init(_ text: String, isMarkless: Bool = false) {
        var text = text
        let bytes = text.withUTF8 { unsafe Array($0) }
        if bytes.allSatisfy({ $0 < 0x80 }) {
            folded = TextFolding.fold(text)
            starts = nil
            return
        }
        var folded: [UInt8] = []
        var starts: [Int] = []
        folded.reserveCapacity(bytes.count)
        starts.reserveCapacity(bytes.count + 1)
        var place = 0
        while place < bytes.count {
            let end = TextPieces.end(from: place, in: bytes)
            if end - place == 1 {
                // One ASCII character, the usual case.
                folded.append(TextFolding.fold(ascii: bytes[place]))
                starts.append(place)
            } else {
                var piece = TextFolding.fold(Array(bytes[place..<end]))
                if isMarkless { piece = MarklessText.of(piece) ?? piece }
                for _ in piece { starts.append(place) }
                folded += piece
            }
            place = end
        }
        starts.append(bytes.count)
        self.folded = folded
        self.starts = starts
    }

    /// Returns where a folded term occurs: half-open ranges of UTF-8 offsets of the original text, in order.
    ///
    /// Ranges begin and end at characters, since a match inside a character that folding composed has no place of its
    /// own.
    /// - Parameter limit: The largest number of ranges.
    func spans(of term: [UInt8], limit: Int) -> [Range<Int>] {
        guard !term.isEmpty, limit > 0 else { return [] }
        var spans: [Range<Int>] = []
        var position = 0
        while spans.count < limit, let found = place(of: term, from: position) {
            position = found + term.count
            guard let starts else {
                spans.append(found..<position)
                continue
            }
            var end = position
            while end < folded.count, starts[end] == starts[end - 1] { end += 1 }
            spans.append(starts[found]..<starts[end])
        }
        return spans
    }

    private func place(of term: [UInt8], from start: Int) -> Int? {
        guard folded.count - start >= term.count else { return nil }
        return unsafe folded.withUnsafeBytes { text in
            unsafe term.withUnsafeBytes { term in
                guard let base = text.baseAddress, let needle = term.baseAddress,
                    let found = unsafe selene_find(base + start, text.count - start, needle, term.count)
                else { return nil }
                return unsafe UnsafeRawPointer(found) - base
            }
        }
    }
}
