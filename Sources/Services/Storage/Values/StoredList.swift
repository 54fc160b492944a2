import Foundation

/// Encodes lists in text columns. Different writers store a JSON array, or words separated by commas.
enum StoredList {
    static func decode(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        if text.utf8.first == UInt8(ascii: "[") {
            if let list = plainJSON(text) { return list }
            if let list = try? JSONDecoder().decode([String].self, from: Data(text.utf8)) { return list }
        }
        return text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Parses a JSON array of strings without escapes, the usual case, faster than a decoder per note; nil for anything
    /// else.
    private static func plainJSON(_ text: String) -> [String]? {
        var list: [String] = []
        var rest = text.utf8.dropFirst()
        func skipSpaces() { rest = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 } }
        while true {
            skipSpaces()
            guard rest.popFirst() == UInt8(ascii: "\""),
                let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 0x20 }),
                rest[end] == UInt8(ascii: "\"")
            else { return nil }
            list.append(String(Substring(rest[..<end])))
            rest = rest[end...].dropFirst()
            skipSpaces()
            switch rest.popFirst() {
            case UInt8(ascii: ","): continue
            case UInt8(ascii: "]"):
                skipSpaces()
                return rest.isEmpty ? list : nil
            default: return nil
            }
        }
    }

    static func encode(_ list: [String]) -> String? {
        if list.isEmpty { return nil }
        if list.allSatisfy({ $0.utf8.allSatisfy(isPlain) }) { return "[\"" + list.joined(separator: "\",\"") + "\"]" }
        return (try? JSONEncoder().encode(list)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a byte of UTF-8 is a character of ASCII that JSON needs no escape for; a slash gets one.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            && byte != UInt8(ascii: "/")
    }
}

/// Returns `?,?,…` for an SQL list.
func databaseQuestionMarks(count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ",")
}
