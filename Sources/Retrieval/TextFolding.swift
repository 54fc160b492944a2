import Foundation

/// How text is folded before it is compared, on both sides alike.
///
/// Case is folded over all of Unicode (upper case, then lower case, so that ß meets SS and ς meets σ) and the result is
/// composed (NFC), so that a letter with a combining mark meets its precomposed form. Diacritics count: `é` is not `e`.
/// The two control characters that the arena uses as borders become spaces.
enum TextFolding {
    /// Stands after a title in the arena.
    static let titleEnd: UInt8 = 0x01
    /// Stands after a document in the arena.
    static let documentEnd: UInt8 = 0x00

    /// The folded text as UTF-8.
    static func fold(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        if let ascii = foldASCII(&bytes) { return ascii }
        return text.uppercased().lowercased().precomposedStringWithCanonicalMapping.utf8.map(border)
    }

    /// Folds in place when all is ASCII; nil when something is not.
    private static func foldASCII(_ bytes: inout [UInt8]) -> [UInt8]? {
        for index in bytes.indices {
            let byte = bytes[index]
            if byte >= 0x80 { return nil }
            bytes[index] = border(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        }
        return bytes
    }

    private static func border(_ byte: UInt8) -> UInt8 { byte <= 1 ? 0x20 : byte }

    /// Where a folded term occurs in a text: half-open ranges of UTF-8 offsets of the text as it was written.
    ///
    /// Ranges begin and end at characters, since a match inside a character that folding composed has no place of its own.
    /// - Parameter limit: How many ranges at most.
    static func spans(of term: [UInt8], in text: String, limit: Int) -> [Range<Int>] {
        guard !term.isEmpty, limit > 0 else { return [] }
        var folded: [UInt8] = []
        var starts: [Int] = []
        var original = 0
        for character in text {
            let piece = fold(String(character))
            for _ in piece { starts.append(original) }
            folded += piece
            original += character.utf8.count
        }
        starts.append(original)
        var spans: [Range<Int>] = []
        var position = 0
        while spans.count < limit, let found = folded[position...].firstRange(of: term) {
            var end = found.upperBound
            while end < folded.count, starts[end] == starts[end - 1] { end += 1 }
            spans.append(starts[found.lowerBound]..<starts[end])
            position = found.upperBound
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
