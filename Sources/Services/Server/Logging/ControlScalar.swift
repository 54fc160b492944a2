/// Characters that a terminal or a log viewer interprets instead of showing.
package enum ControlScalar {
    /// Whether a character is a control character of C0 or C1, DEL, a line or paragraph separator, or a text direction
    /// control. Direction controls can make one text look like another.
    package static func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Whether a text has such a character.
    package static func isIn(_ text: String) -> Bool {
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return false }
        return text.unicodeScalars.contains(where: contains)
    }

    /// Escapes a character as in JSON: `\n`, `\t`, `\r` or `\u001b`.
    package static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
    }

    /// Escapes such characters in a text. Meant for encoded JSON, where they only occur within strings.
    package static func escaped(_ text: String) -> String {
        guard isIn(text) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            if contains(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
        }
    }
}
