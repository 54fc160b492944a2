import Foundation

/// Folds text for comparison. Both sides must be folded.
///
/// The only folding of the product: notes search, retrieval, thread names and memories all use it. Texts that a reader
/// takes for the same fold alike:
///
/// - Case is folded over all of Unicode (upper case, then lower case, so that ß matches SS and ς matches σ). İ is i.
/// - The result is composed (NFC), so that a letter with a combining mark matches its precomposed form.
/// - Signs that keyboards and phones write differently are one (``FoldedSigns``): apostrophes, quotation marks, dashes,
///   spaces, the ellipsis.
/// - Full-width and half-width characters are the usual ones.
/// - Characters that nobody sees are left out: the soft hyphen, joiners, marks of direction.
///
/// Diacritics count: `é` is not `e`. ``MarklessText`` is the looser comparison, which ranks below this one. The two
/// control characters that the index uses as separators become spaces.
package enum TextFolding {
    /// Grows when any text folds differently, so that what was stored folded is made again.
    package static let version = 2
    /// The separator after a title in the index.
    package static let titleEnd: UInt8 = 0x01
    /// The separator after a document in the index.
    package static let documentEnd: UInt8 = 0x00

    /// Returns the folded text as UTF-8.
    package static func fold(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        return foldASCII(bytes) ?? foldEach(bytes) ?? foldWhole(text)
    }

    /// Folds valid UTF-8.
    package static func fold(_ bytes: [UInt8]) -> [UInt8] {
        foldASCII(bytes) ?? foldEach(bytes) ?? foldWhole(String(decoding: bytes, as: UTF8.self))
    }

    package static func folded(_ text: String) -> String { String(decoding: fold(text), as: UTF8.self) }

    /// Folds ASCII text; nil when the text has other characters.
    private static func foldASCII(_ text: [UInt8]) -> [UInt8]? {
        var bytes = text
        for index in bytes.indices {
            let byte = bytes[index]
            if byte >= 0x80 { return nil }
            bytes[index] = border(byte &- 0x41 < 26 ? byte | 0x20 : byte)
        }
        return bytes
    }

    /// Folds a text by the full rule. ``foldEach(_:)`` gives the same result or nil.
    static func foldWhole(_ text: String) -> [UInt8] {
        // Also composed first, so that texts that differ only in their composition fold alike.
        var composed = FoldedSigns.replaced(in: text).precomposedStringWithCanonicalMapping
        // The capital ẞ is its own upper case.
        if composed.unicodeScalars.contains("ẞ") { composed = composed.replacing("ẞ", with: "SS") }
        let folded = Array(composed.uppercased().lowercased().precomposedStringWithCanonicalMapping.utf8)
        var plain = withoutDots(folded)
        // A mark that followed the dot now follows the letter, and composes with it.
        if plain.count != folded.count {
            plain = Array(String(decoding: plain, as: UTF8.self).precomposedStringWithCanonicalMapping.utf8)
        }
        return plain.map(border)
    }

    /// Leaves out the dot above an i, which İ has in lower case.
    private static func withoutDots(_ text: [UInt8]) -> [UInt8] {
        var (kept, place) = ([UInt8](), 0)
        guard text.contains(0xCC) else { return text }
        kept.reserveCapacity(text.count)
        while place < text.count {
            kept.append(text[place])
            place += 1
            guard kept.last == UInt8(ascii: "i") else { continue }
            while place + 1 < text.count, text[place] == 0xCC, text[place + 1] == 0x87 { place += 2 }
        }
        return kept
    }

    /// Folds an ASCII character.
    package static func fold(ascii byte: UInt8) -> UInt8 { border(byte &- 0x41 < 26 ? byte | 0x20 : byte) }

    /// Folds character by character, many times faster; nil when a character may compose with another.
    static func foldEach(_ text: [UInt8]) -> [UInt8]? {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count + 8)
        var place = 0
        while place < text.count {
            let first = text[place]
            if first < 0x80 {
                folded.append(border(first &- 0x41 < 26 ? first | 0x20 : first))
                place += 1
                continue
            }
            let end = place + (first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2)
            guard end <= text.count else { return nil }
            var value = UInt32(first & (first >= 0xF0 ? 0x07 : first >= 0xE0 ? 0x0F : 0x1F))
            for byte in text[(place + 1)..<end] { value = value << 6 | UInt32(byte & 0x3F) }
            switch LoneFolds.shared.fold(of: value) {
            case .same: folded.append(contentsOf: text[place..<end])
            case .other(let bytes): folded.append(contentsOf: bytes)
            case .unknown: return nil
            }
            place = end
        }
        return folded
    }

    private static func border(_ byte: UInt8) -> UInt8 { byte <= 1 ? 0x20 : byte }
}

/// The foldings of characters that never compose with each other: those of most European and East Asian text.
struct LoneFolds: Sendable {
    /// The folding of a character.
    enum Fold { case same, unknown, other(ArraySlice<UInt8>) }

    static let shared = LoneFolds()

    /// Latin, Greek and Cyrillic; punctuation, signs; kana. Full-width letters are in ``wide``.
    private static let low: [ClosedRange<UInt32>] = [0x80...0x52F, 0x2000...0x2BFF, 0x3000...0x30FF]
    private static let wide: ClosedRange<UInt32> = 0xFF01...0xFF5E
    /// Han characters, Hangul syllables, emoji.
    private static let same: [ClosedRange<UInt32>] = [0x3400...0x9FFF, 0xAC00...0xD7A3, 0x1F000...0x1FAFF]
    /// The selector of the coloured form of emoji, which folds to nothing.
    private static let coloured: UInt32 = 0xFE0F

    /// For each character up to the last kana: 0 unknown, 1 unchanged, else 2 and the index in ``ranges``.
    private var kinds = [UInt16](repeating: 0, count: 0x3100)
    private var ranges: [Range<Int>] = []
    private var bytes: [UInt8] = []
    private var wideFolds: [[UInt8]] = []

    private init() {
        for range in Self.low {
            for value in range {
                guard let scalar = Unicode.Scalar(value), scalar.properties.canonicalCombiningClass == .notReordered
                else {
                    continue
                }
                let text = String(scalar)
                let folded = TextFolding.foldWhole(text)
                if folded.elementsEqual(text.utf8) {
                    kinds[Int(value)] = 1
                } else {
                    kinds[Int(value)] = UInt16(2 + ranges.count)
                    ranges.append(bytes.count..<(bytes.count + folded.count))
                    bytes += folded
                }
            }
        }
        wideFolds = Self.wide.map { value in
            Unicode.Scalar(value).map { TextFolding.foldWhole(String($0)) } ?? []
        }
    }

    /// The folding of a single character.
    func fold(of value: UInt32) -> Fold {
        if value < kinds.count {
            let kind = Int(kinds[Int(value)])
            return kind == 0 ? .unknown : kind == 1 ? .same : .other(bytes[ranges[kind - 2]])
        }
        if Self.wide.contains(value) { return .other(wideFolds[Int(value - Self.wide.lowerBound)][...]) }
        if value == Self.coloured { return .other([]) }
        return Self.same.contains { $0.contains(value) } ? .same : .unknown
    }
}
