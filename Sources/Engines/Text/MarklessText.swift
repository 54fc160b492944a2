import Foundation

/// Folded text without the marks on its letters: `gutersloh` for `gütersloh`, `елки` for `ёлки`, Arabic and Hebrew
/// without vowels.
///
/// A looser comparison than ``TextFolding``: what it finds goes beyond what is written, so it ranks below every exact
/// match. Marks that make other letters stay: voiced kana, vowels of Indic scripts, tones of Thai.
package enum MarklessText {
    /// Letters that have no mark to take away, but are read as another one.
    private static let letters: [Unicode.Scalar: String] = [
        "đ": "d", "ð": "d", "ø": "o", "ł": "l", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i", "ŋ": "n",
        "ə": "e", "ɓ": "b", "ɗ": "d", "ɖ": "d", "ƙ": "k", "ɛ": "e", "ɔ": "o", "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا",
    ]

    /// Whether a character is a mark that may be left out.
    private static func isMark(_ value: UInt32) -> Bool {
        switch value {
        case 0x300...0x36F, 0x483...0x487, 0x591...0x5BD, 0x5BF...0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7...0x5C7,
            0x610...0x61A, 0x640...0x640, 0x64B...0x65F, 0x670...0x670, 0x6D6...0x6DC, 0x6DF...0x6E4, 0x6E7...0x6E8,
            0x6EA...0x6ED, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20F0:
            true
        default: false
        }
    }

    /// Folded text without marks, which may be all of it; nil when it has none.
    package static func of(_ folded: [UInt8]) -> [UInt8]? {
        guard mayHaveMarks(folded) else { return nil }
        // One character of two bytes, as most letters with marks are.
        if folded.count == 2 {
            let value = Int(folded[0] & 0x1F) << 6 | Int(folded[1] & 0x3F)
            return short.indices.contains(value) ? short[value] : nil
        }
        return whole(folded)
    }

    /// The characters of two bytes without their marks; nil for those without any.
    private static let short: [[UInt8]?] = (0..<0x800).map { value in
        guard value >= 0x80, let scalar = Unicode.Scalar(UInt32(value)) else { return nil }
        return whole(Array(String(scalar).utf8))
    }

    private static func whole(_ folded: [UInt8]) -> [UInt8]? {
        let text = String(decoding: folded, as: UTF8.self)
        var scalars = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars where !isMark(scalar.value) {
            if let usual = letters[scalar] {
                scalars.append(contentsOf: usual.unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
        let bytes = Array(String(scalars).precomposedStringWithCanonicalMapping.utf8)
        return bytes == folded ? nil : bytes
    }

    /// Whether text has characters of the scripts whose letters have marks: Latin to Arabic, and their extensions.
    private static func mayHaveMarks(_ folded: [UInt8]) -> Bool {
        // The first bytes of U+0080 to U+07FF, U+1000 to U+1FFF and U+2000 to U+2FFF.
        folded.contains { (0xC2...0xDF).contains($0) || $0 == 0xE1 || $0 == 0xE2 }
    }
}
