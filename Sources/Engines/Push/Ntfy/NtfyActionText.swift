/// The short form of ntfy's actions: `view, Open, https://example.com, clear=true; http, Stop, https://example.com/stop`.
///
/// Actions are separated by `;`, their parts by `,`. A part is a value or `key=value`; a value with a separator is in
/// quotation marks, `"…"` or `'…'`, where `\` escapes the mark. The first values without a key are `action`, `label` and
/// `url`.
struct NtfyActionText {
    struct Part: Hashable {
        /// The key; nil for a value by its place.
        var key: String?
        /// The value, without quotation marks.
        var value: String
    }

    private var rest: ArraySlice<UInt8>

    /// Splits a text into actions and their parts, in linear time.
    ///
    /// - Throws: ``PushFieldError`` for `actions` when a quotation mark is open, or a part has text behind it.
    static func split(_ text: String) throws(PushFieldError) -> [[Part]] {
        var reader = NtfyActionText(rest: Array(text.utf8)[...])
        var actions: [[Part]] = []
        var parts: [Part] = []
        while true {
            reader.skipSpaces()
            let part = try reader.part()
            if let part { parts.append(part) }
            let separator = reader.rest.popFirst()
            if separator == UInt8(ascii: ",") { continue }
            if !parts.isEmpty { actions.append(parts) }
            parts = []
            guard separator != nil, actions.count <= NtfyAction.maxCount else { return actions }
        }
    }

    private mutating func skipSpaces() {
        rest = rest.drop { $0 == 0x20 || (9...13).contains($0) }
    }

    /// Reads a part up to a separator; nil for an empty one.
    private mutating func part() throws(PushFieldError) -> Part? {
        let key = key()
        skipSpaces()
        let value: String
        if let mark = rest.first, mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") {
            value = try quoted(mark)
        } else {
            let raw = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
            rest = rest[raw.endIndex...]
            let end = raw.lastIndex { $0 != 0x20 && !(9...13).contains($0) }
            value = end.map { String(decoding: raw[...$0], as: UTF8.self) } ?? ""
        }
        return key == nil && value.isEmpty ? nil : Part(key: key, value: value)
    }

    /// Reads `key=`, if the part begins with one: letters, digits, `-`, `_` and `.`.
    private mutating func key() -> String? {
        let name = rest.prefix { byte in
            byte.isLetter || byte.isDigit || "-_.".utf8.contains(byte)
        }
        let tail = rest[name.endIndex...].drop { $0 == 0x20 }
        guard !name.isEmpty, tail.first == UInt8(ascii: "=") else { return nil }
        rest = tail.dropFirst()
        return String(decoding: name, as: UTF8.self)
    }

    private mutating func quoted(_ mark: UInt8) throws(PushFieldError) -> String {
        rest = rest.dropFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), let next = rest.first, next == mark || next == byte {
                value.append(next)
                rest = rest.dropFirst()
            } else if byte == mark {
                skipSpaces()
                guard rest.isEmpty || rest.first == UInt8(ascii: ",") || rest.first == UInt8(ascii: ";") else {
                    throw PushFieldError("actions", "expected \",\" or \";\" behind a quotation mark")
                }
                return String(decoding: value, as: UTF8.self)
            } else {
                value.append(byte)
            }
        }
        throw PushFieldError("actions", "a quotation mark is not closed")
    }
}
