/// Reads and writes JSON strings as bytes.
enum JSONText {
    /// Decodes a string literal without its quotes, as Go does: half a surrogate pair and invalid UTF-8 become U+FFFD.
    /// Nil for an invalid escape.
    static func text(of raw: some Collection<UInt8>) -> String? {
        let raw = Array(raw)
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        var bytes: [UInt8] = []
        var scalars = String.UnicodeScalarView()
        func flush() {
            scalars.append(contentsOf: String(decoding: bytes, as: UTF8.self).unicodeScalars)
            bytes = []
        }
        var rest = raw[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escape = rest.popFirst() else { return nil }
            if let plain = plainEscapes[escape] {
                bytes.append(plain)
                continue
            }
            guard escape == UInt8(ascii: "u"), let unit = unit(&rest) else { return nil }
            flush()
            if (0xD800...0xDBFF).contains(unit) {
                var ahead = rest
                if ahead.popFirst() == UInt8(ascii: "\\"), ahead.popFirst() == UInt8(ascii: "u"),
                    let low = Self.unit(&ahead), (0xDC00...0xDFFF).contains(low),
                    let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
                {
                    scalars.append(scalar)
                    rest = ahead
                    continue
                }
            }
            scalars.append(Unicode.Scalar(unit) ?? "\u{FFFD}")
        }
        flush()
        return String(scalars)
    }

    /// Encodes a text as a literal with quotes.
    static func literal(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        return bytes + [UInt8(ascii: "\"")]
    }

    private static let digits = Array("0123456789abcdef".utf8)
    private static let plainEscapes: [UInt8: UInt8] = [
        0x22: 0x22, 0x5C: 0x5C, 0x2F: 0x2F, 0x62: 0x08, 0x66: 0x0C, 0x6E: 0x0A, 0x72: 0x0D, 0x74: 0x09,
    ]

    /// Reads four hexadecimal digits.
    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt32? {
        guard rest.count >= 4 else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
