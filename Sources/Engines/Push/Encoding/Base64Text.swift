/// Base64 with `+` and `/` and with padding (RFC 4648, section 4).
enum Base64Text {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text = Base64URL.encode(bytes).utf8.map { byte in
            byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes a text, with or without padding; nil for other characters.
    static func decode(_ text: String) -> [UInt8]? {
        guard !text.utf8.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) else { return nil }
        let digits = text.utf8.map { byte in
            byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        }
        return Base64URL.decode(String(decoding: digits, as: UTF8.self))
    }
}
