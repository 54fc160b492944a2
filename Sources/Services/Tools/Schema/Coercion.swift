import GatewayAPI

/// Converts a value to the type that the model meant.
enum Coercion {
    /// The longest string that is parsed as a number, in bytes.
    private static let numberBytes = 64
    /// The limits of a string that is parsed as JSON.
    private static let limits = JSONLimits(depth: 16, values: 4096)

    /// Converts a value to a schema's type. Other values are returned unchanged. Converted are:
    /// - numbers and booleans in strings, and numbers to text
    /// - whole numbers such as `5.0`
    /// - arrays and objects as JSON text
    /// - a single value to an array of one
    static func value(_ value: JSONValue, to shape: ArgumentSchema.Shape) -> JSONValue {
        switch (shape, value) {
        case (.integer, .string(let text)): integer(text).map(JSONValue.integer) ?? value
        case (.integer, .number(let number)): Int64(exactly: number).map(JSONValue.integer) ?? value
        case (.number, .string(let text)): number(text).map(JSONValue.number) ?? value
        case (.number, .integer(let number)): .number(Double(number))
        case (.boolean, .string(let text)): boolean(text).map(JSONValue.bool) ?? value
        case (.string, .integer), (.string, .number): .string(String(decoding: value.json, as: UTF8.self))
        case (.object, .string(let text)): document(text, opening: "{") ?? value
        case (.array, .array): value
        case (.array, .string(let text)): document(text, opening: "[") ?? .array([value])
        case (.array, _): .array([value])
        default: value
        }
    }

    private static func integer(_ text: String) -> Int64? {
        guard let digits = numeral(text) else { return nil }
        return Int64(digits) ?? Double(digits).flatMap { Int64(exactly: $0) }
    }

    private static func number(_ text: String) -> Double? {
        numeral(text).flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The trimmed text if it may be a decimal number. Swift's own parser also accepts `nan` and `0x1p3`.
    private static func numeral(_ text: String) -> Substring? {
        guard text.utf8.count <= numberBytes else { return nil }
        let trimmed = text.drop { $0 == " " }
        let end = trimmed.lastIndex { $0 != " " }.map { trimmed.index(after: $0) } ?? trimmed.startIndex
        let numeral = trimmed[..<end]
        let isDecimal = numeral.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        return isDecimal ? numeral : nil
    }

    private static func boolean(_ text: String) -> Bool? {
        guard text.utf8.count <= 5 else { return nil }
        switch text.lowercased() {
        case "true": return true
        case "false": return false
        default: return nil
        }
    }

    /// The array or object that a JSON text encodes.
    private static func document(_ text: String, opening: Character) -> JSONValue? {
        guard text.first(where: { !$0.isWhitespace }) == opening else { return nil }
        return try? JSONDocument(parsing: Array(text.utf8), limits: limits).value
    }
}
