/// Any JSON value, for the fields whose shape Ollama defines (`format`, `options`).
///
/// Whole numbers that fit 64 bits stay whole: re-encoding `{"num_ctx": 8192}` never yields `8192.0`.
public enum JSONValue: Codable, Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The maximum nesting depth that is decoded.
    public static let depthLimit = 64

    /// Decodes any JSON value.
    ///
    /// - Throws: `DecodingError`, also when the value is nested deeper than ``depthLimit``.
    public init(from decoder: any Decoder) throws {
        // The gateway's own decoder has the whole value; with others each type is tried in turn.
        if let known = decoder as? JSONNodeDecoder {
            self = try known.value()
            return
        }
        guard decoder.codingPath.count <= Self.depthLimit else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "the value is nested more than \(Self.depthLimit) levels deep"))
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Encodes the value as plain JSON without a wrapper.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue {
    /// The value as JSON text with sorted member names.
    package var json: [UInt8] {
        var json: [UInt8] = []
        JSONBytes.append(self, to: &json)
        return json
    }
}

/// Writes JSON text.
package enum JSONBytes {
    /// Appends a value with sorted member names. Numbers that JSON cannot represent become null.
    package static func append(_ value: JSONValue, to json: inout [UInt8]) {
        switch value {
        case .null: json += "null".utf8
        case .bool(let flag): json += (flag ? "true" : "false").utf8
        case .integer(let number): json += String(number).utf8
        case .number(let number): json += text(of: number).utf8
        case .string(let text): append(text, to: &json)
        case .array(let elements):
            json.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                append(element, to: &json)
            }
            json.append(UInt8(ascii: "]"))
        case .object(let members):
            json.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                append(member.key, to: &json)
                json.append(UInt8(ascii: ":"))
                if member.key == "properties", case .array(let required)? = members["required"],
                    case .object(let properties) = member.value
                {
                    append(properties, first: required, to: &json)
                } else {
                    append(member.value, to: &json)
                }
            }
            json.append(UInt8(ascii: "}"))
        }
    }

    /// Appends the properties of a JSON schema: in the order of its `required`, then by name. A model that answers by a
    /// schema writes the members in the order of the properties.
    private static func append(_ properties: [String: JSONValue], first: [JSONValue], to json: inout [UInt8]) {
        var rest = properties
        var isFirst = true
        json.append(UInt8(ascii: "{"))
        func add(_ name: String, _ value: JSONValue) {
            if !isFirst { json.append(UInt8(ascii: ",")) }
            isFirst = false
            append(name, to: &json)
            json.append(UInt8(ascii: ":"))
            append(value, to: &json)
        }
        for case .string(let name) in first {
            if let value = rest.removeValue(forKey: name) { add(name, value) }
        }
        for (name, value) in rest.sorted(by: { $0.key < $1.key }) { add(name, value) }
        json.append(UInt8(ascii: "}"))
    }

    /// Writes an object with its members in the given order.
    ///
    /// - Parameters:
    ///   - sources: Members that are written as JSON text already.
    ///   - capacity: The number of bytes to reserve.
    package static func object(
        _ members: [(name: String, value: JSONValue)], sources: [String: ArraySlice<UInt8>] = [:],
        reserving capacity: Int = 0
    ) -> [UInt8] {
        var json: [UInt8] = []
        json.reserveCapacity(capacity)
        json.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            append(member.name, to: &json)
            json.append(UInt8(ascii: ":"))
            if let source = sources[member.name] { json += source } else { append(member.value, to: &json) }
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// Appends a quoted and escaped string.
    package static func append(_ text: String, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        // Most texts need no escapes, and then go over in one piece.
        guard !text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
            json.append(contentsOf: text.utf8)
            return json.append(UInt8(ascii: "\""))
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                json.append(UInt8(ascii: "\\"))
                json.append(byte)
            case 0..<0x20:
                json += "\\u00".utf8
                json.append(digits[Int(byte >> 4)])
                json.append(digits[Int(byte & 15)])
            default: json.append(byte)
            }
        }
        json.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func text(of number: Double) -> String {
        guard number.isFinite else { return "null" }
        return number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : number.description
    }
}
