import CSearch

/// A folded text that is sought in texts as they were written, most of which need not be folded for that.
///
/// Folding a text costs about a hundred times what looking through its bytes does. So a text is first asked, byte by byte,
/// for one letter of what is sought, in each way in which that can be written; and one that holds all of it as it is, with
/// nothing behind it that could change its last letter, is a match already. What neither settles is folded.
struct FoldedNeedle: Sendable {
    /// What is known without folding.
    enum Verdict { case absent, present, open }

    private let folded: [UInt8]
    /// Ways to write one of the letters; none when there is no letter whose ways are known.
    private let spellings: [[UInt8]]
    /// Bytes that begin a character that can become, or make another character become, that letter.
    private let hints: [[UInt8]]
    /// Whether nothing before it can change the first letter.
    private let beginsFirmly: Bool

    /// - Parameter text: Folded by ``FoldedContains/fold(_:)``.
    init(folded text: String) {
        folded = Array(text.utf8)
        beginsFirmly = text.unicodeScalars.first.map { Self.isFirm($0) } ?? false
        if let ideograph = text.unicodeScalars.first(where: Self.isIdeograph) {
            spellings = [Array(String(ideograph).utf8)]
            // Compatibility ideographs, which composing replaces.
            hints = [[0xEF], [0xF0, 0xAF]]
        } else if let letter = text.unicodeScalars.first(where: Self.isLetter) {
            let properties = letter.properties
            spellings = Set([String(letter), properties.uppercaseMapping, properties.titlecaseMapping])
                .map { Array($0.utf8) }
            // Combining marks, and the rest of Latin, Greek and Cyrillic with the signs that fold to letters.
            hints = [[0xCC], [0xCD], [0xE1], [0xE2, 0x84]]
        } else {
            spellings = []
            hints = []
        }
    }

    /// Han characters: nothing is made of them, and they are made of compatibility ideographs alone.
    private static func isIdeograph(_ scalar: Unicode.Scalar) -> Bool { (0x3400...0x9FFF).contains(scalar.value) }

    /// Latin and Cyrillic letters of which all ways to write them are known.
    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        (0xC0...0x233).contains(scalar.value) || (0x430...0x45F).contains(scalar.value)
    }

    private static func isFirm(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x80 || isIdeograph(scalar) || isLetter(scalar)
    }

    /// What the bytes of a text tell.
    func verdict(_ text: UnsafeRawBufferPointer) -> Verdict {
        if !spellings.isEmpty, !spellings.contains(where: { Self.find($0, in: text) != nil }),
            !hints.contains(where: { Self.find($0, in: text) != nil })
        {
            return .absent
        }
        guard beginsFirmly else { return .open }
        var rest = text
        while let found = Self.find(folded, in: rest) {
            let end = found + folded.count
            // An ASCII character leaves what is before it as it is.
            guard end < rest.count, rest[end] >= 0x80 else { return .present }
            rest = UnsafeRawBufferPointer(rebasing: rest[(found + 1)...])
        }
        return .open
    }

    /// Whether a text that was folded holds what is sought.
    func isIn(folded text: String) -> Bool {
        var text = text
        return text.withUTF8 { Self.find(folded, in: UnsafeRawBufferPointer($0)) != nil }
    }

    private static func find(_ bytes: [UInt8], in text: UnsafeRawBufferPointer) -> Int? {
        guard !bytes.isEmpty else { return 0 }
        guard let base = text.baseAddress, text.count >= bytes.count else { return nil }
        return bytes.withUnsafeBytes { sought in
            guard let start = sought.baseAddress, let found = selene_find(base, text.count, start, sought.count) else {
                return nil
            }
            return found - base
        }
    }
}
