/// Decodes encoded words in header fields (RFC 2047), such as `=?UTF-8?B?w7xiZXI=?=`.
enum EncodedWords {
    /// Returns the text with its encoded words decoded. A word of another character set than UTF-8, ASCII and
    /// ISO 8859-1, or one that cannot be decoded, stays as it is.
    static func decode(_ text: String) -> String {
        guard text.contains("=?") else { return text }
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        var spaces: [UInt8] = []
        var wasEncoded = false
        while let byte = rest.first {
            if let (bytes, length) = word(rest) {
                // White space between two encoded words only separates them.
                if !wasEncoded { result += spaces }
                result += bytes
                rest = rest.dropFirst(length)
                wasEncoded = true
                spaces = []
            } else if byte == 0x20 || byte == 0x09 {
                spaces.append(byte)
                rest = rest.dropFirst()
            } else {
                result += spaces
                result.append(byte)
                rest = rest.dropFirst()
                wasEncoded = false
                spaces = []
            }
        }
        return String(decoding: result + spaces, as: UTF8.self)
    }

    /// The longest encoded word that is read, in bytes. The standard has 75; senders write longer ones.
    private static let limit = 4096

    /// The bytes of the word at the start, as UTF-8, and the length of its code.
    private static func word(_ text: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
        guard text.starts(with: "=?".utf8) else { return nil }
        let inner = text.dropFirst(2).prefix(limit)
        guard let first = inner.firstIndex(of: 0x3F), first - inner.startIndex <= 16, first + 2 < inner.endIndex,
            inner[first + 2] == 0x3F
        else { return nil }
        let charset = String(decoding: inner[..<first], as: UTF8.self).lowercased()
        let encoding = inner[first + 1] | 0x20
        let code = inner[(first + 3)...]
        guard let end = code.firstIndex(of: 0x3F), end + 1 < code.endIndex, code[end + 1] == 0x3D else { return nil }
        let content = code[..<end]
        let decoded: [UInt8]?
        switch encoding {
        case UInt8(ascii: "b"): decoded = Base64Text.decode(String(decoding: content, as: UTF8.self))
        case UInt8(ascii: "q"): decoded = quoted(content)
        default: return nil
        }
        guard let decoded, let utf8 = convert(decoded, from: charset) else { return nil }
        return (utf8, end + 2 - text.startIndex)
    }

    private static func quoted(_ content: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = content
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "_"): bytes.append(0x20)
            case UInt8(ascii: "="):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    private static func convert(_ bytes: [UInt8], from charset: String) -> [UInt8]? {
        switch charset {
        case "utf-8", "utf8", "us-ascii": String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
        case "iso-8859-1": Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
        default: nil
        }
    }
}
