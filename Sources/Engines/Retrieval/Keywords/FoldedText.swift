import Text

/// A folded text that maps each folded byte to the start of its character in the original text.
struct FoldedText {
    private let folded: [UInt8]
    /// For each folded byte, and for the end: the UTF-8 offset of its character. nil when folding moved no byte.
    private let starts: [Int]?

    init(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            folded = TextFolding.fold(text)
            starts = nil
            return
        }
        var folded: [UInt8] = []
        var starts: [Int] = []
        var original = 0
        for character in text {
            let piece = TextFolding.fold(String(character))
            for _ in piece { starts.append(original) }
            folded += piece
            original += character.utf8.count
        }
        starts.append(original)
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
        while spans.count < limit, let found = folded[position...].firstRange(of: term) {
            position = found.upperBound
            guard let starts else {
                spans.append(found)
                continue
            }
            var end = found.upperBound
            while end < folded.count, starts[end] == starts[end - 1] { end += 1 }
            spans.append(starts[found.lowerBound]..<starts[end])
        }
        return spans
    }
}

extension ArraySlice<UInt8> {
    fileprivate func firstRange(of term: [UInt8]) -> Range<Int>? {
        guard count >= term.count else { return nil }
        for start in startIndex...(endIndex - term.count)
        where self[start] == term[0] && self[start..<start + term.count].elementsEqual(term) {
            return start..<start + term.count
        }
        return nil
    }
}
