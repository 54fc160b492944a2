/// The characters that a ``ReadingView`` shows in another way.
enum ReadingCharacters {
    /// White space that is shown as a space.
    static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }

    /// Soft hyphen, zero width space, word joiner, byte order mark.
    static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xAD, 0x200B, 0x2060, 0xFEFF: true
        default: false
        }
    }

    /// Hyphen-minus and hyphen.
    static func isHyphen(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value == 0x2D || scalar.value == 0x2010
    }

    /// Marks after which no paragraph goes on, also within closing quotation marks and brackets.
    static func endsSentence(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "!", "?", ":", "\u{2026}", "\"", "\u{201D}", "\u{2019}", "\u{BB}", ")", "\u{3002}": true
        default: false
        }
    }

    /// Han characters, kana and their punctuation, which are written without spaces.
    static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x2E80...0x312F, 0x31A0...0x9FFF, 0xF900...0xFAFF, 0xFF00...0xFFEF, 0x20000...0x3FFFF: true
        default: false
        }
    }

    /// The letters of a ligature.
    static func spelling(ofLigature scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0xFB00: "ff"
        case 0xFB01: "fi"
        case 0xFB02: "fl"
        case 0xFB03: "ffi"
        case 0xFB04: "ffl"
        case 0xFB05, 0xFB06: "st"
        case 0xFB13: "\u{574}\u{576}"
        case 0xFB14: "\u{574}\u{565}"
        case 0xFB15: "\u{574}\u{56B}"
        case 0xFB16: "\u{57E}\u{576}"
        case 0xFB17: "\u{574}\u{56D}"
        default: nil
        }
    }
}
