/// A JSON value that keeps the order of an object's members, as Ollama does for schemas and tool arguments.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number as written.
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A name and a value.
    package struct Member: Sendable, Hashable {
        package var key: String
        package var value: JSON

        package init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// An object without the members that have no value, like Go's `omitempty`.
    package static func compact(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
    }

    /// The value of a member; the last one when a name is repeated.
    package subscript(key: String) -> JSON? { members?.last { $0.key == key }?.value }

    package var members: [Member]? { if case .object(let members) = self { members } else { nil } }
    package var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    package var text: String? { if case .string(let text) = self { text } else { nil } }
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    package var double: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }
    package var int: Int? { double.flatMap { Int(exactly: $0) } }
    package var isNull: Bool { self == .null }

    /// The value in the format of Go's encoder: compact, with `<`, `>`, `&`, U+2028 and U+2029 escaped.
    package var encoded: String {
        var output = ""
        write(to: &output)
        return output
    }

    private func write(to output: inout String) {
        switch self {
        case .null: output += "null"
        case .bool(let flag): output += flag ? "true" : "false"
        case .number(let digits): output += digits
        case .string(let text): output += quoted(text)
        case .array(let elements):
            output += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { output += "," }
                element.write(to: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { output += "," }
                output += quoted(member.key) + ":"
                member.value.write(to: &output)
            }
            output += "}"
        }
    }

    /// The value with the members of every object sorted by name, as Go writes maps.
    var sorted: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(
                members.sorted { $0.key < $1.key }.map { Member(key: $0.key, value: $0.value.sorted) })
        default: self
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(String(value)) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { Member(key: $0.0, value: $0.1) })
    }
    package init(_ value: Int) { self = .number(String(value)) }
}

/// A JSON string literal in the format of Go's encoder.
func quoted(_ text: String) -> String {
    let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
        for byte in bytes where byte < 0x20 || byte > 0x7E || [0x22, 0x26, 0x3C, 0x3E, 0x5C].contains(byte) {
            return false
        }
        return true
    }
    if isPlain == true { return "\"\(text)\"" }
    var bytes: [UInt8] = [0x22]
    bytes.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
        switch byte {
        case 0x22: bytes += [0x5C, 0x22]
        case 0x5C: bytes += [0x5C, 0x5C]
        case 0x0A: bytes += [0x5C, 0x6E]
        case 0x0D: bytes += [0x5C, 0x72]
        case 0x09: bytes += [0x5C, 0x74]
        case 0x08: bytes += [0x5C, 0x62]
        case 0x0C: bytes += [0x5C, 0x66]
        case 0..<0x20, 0x3C, 0x3E, 0x26:
            let digits = Array("0123456789abcdef".utf8)
            bytes += [0x5C, 0x75, 0x30, 0x30, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        default: bytes.append(byte)
        }
        // U+2028 and U+2029 end lines in some readers. Their last byte completes E2 80 A8 or E2 80 A9.
        if byte == 0xA8 || byte == 0xA9, bytes.suffix(3).starts(with: [0xE2, 0x80]) {
            bytes.removeLast(3)
            bytes += Array(byte == 0xA8 ? #"\u2028"#.utf8 : #"\u2029"#.utf8)
        }
    }
    bytes.append(0x22)
    return String(decoding: bytes, as: UTF8.self)
}

/// A number in the format of Go's encoder, with the fewest digits that identify it.
func goNumber(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    var text = value.description
    if text.hasSuffix(".0") { text.removeLast(2) }
    guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...]) else { return text }
    guard exponent < 0 || exponent < 21 else { return text[..<mark] + "e+\(exponent)" }
    if exponent < -6 { return text[..<mark] + "e\(exponent)" }
    let sign = text.hasPrefix("-") ? "-" : ""
    let digits = text[..<mark].filter(\.isNumber)
    if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + digits }
    return sign + digits + String(repeating: "0", count: max(0, exponent + 1 - digits.count))
}
