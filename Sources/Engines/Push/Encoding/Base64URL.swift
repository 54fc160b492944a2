/// Base64 with `-` and `_` and without padding (RFC 4648, section 5).
enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = (bits & 0x3F) << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count & 0x3F)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count) & 0x3F)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text; accepts `=` at the end, since some clients send it.
    ///
    /// - Returns: nil for any other character, for a length that no bytes have, and when unused bits are not zero.
    static func decode(_ text: String) -> [UInt8]? {
        var characters = text.utf8[...]
        var padding = 0
        while padding < 2, characters.last == UInt8(ascii: "=") {
            characters.removeLast()
            padding += 1
        }
        guard characters.count % 4 != 1, padding == 0 || (characters.count + padding) % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 4 * 3 + 2)
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for character in characters {
            guard let digit = value(of: character) else { return nil }
            bits = (bits & 0xFF) << 6 | digit
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        return bits & (1 << count - 1) == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
