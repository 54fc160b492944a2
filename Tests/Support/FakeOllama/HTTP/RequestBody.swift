import Foundation

/// A request's JSON object, read as Go reads it into a struct.
struct RequestBody: Sendable {
    let json: JSON
    /// The struct's name in error messages.
    private let type: String

    /// Reads a body.
    init(_ data: Data, type: String) throws(APIError) {
        self.type = type
        guard data.contains(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) else {
            throw APIError(400, "missing request body")
        }
        do {
            json = try JSONParser.parse(data)
        } catch {
            throw APIError(400, error.message)
        }
        guard json.members != nil || json.isNull else {
            throw APIError(400, "json: cannot unmarshal \(Self.kind(json)) into Go value of type \(type)")
        }
    }

    /// Wraps a part of a body.
    init(_ json: JSON, type: String) {
        self.json = json
        self.type = type
    }

    private static func kind(_ json: JSON) -> String {
        switch json {
        case .null: "null"
        case .bool: "bool"
        case .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    private func field<Value>(_ key: String, _ goType: String, _ read: (JSON) -> Value?) throws(APIError) -> Value? {
        guard let value = json[key], !value.isNull else { return nil }
        guard let result = read(value) else {
            let name = type.split(separator: ".").last ?? ""
            let message =
                "json: cannot unmarshal \(Self.kind(value)) into Go struct field \(name).\(key) of type \(goType)"
            throw APIError(400, message)
        }
        return result
    }

    func text(_ key: String) throws(APIError) -> String? { try field(key, "string", \.text) }
    func flag(_ key: String) throws(APIError) -> Bool? { try field(key, "bool", \.flag) }
    func int(_ key: String) throws(APIError) -> Int? { try field(key, "int", \.int) }
    func double(_ key: String) throws(APIError) -> Double? { try field(key, "float64", \.double) }
    func array(_ key: String) throws(APIError) -> [JSON]? { try field(key, "[]interface {}", \.elements) }
    func object(_ key: String) throws(APIError) -> JSON? {
        try field(key, "map[string]interface {}") { $0.members == nil ? nil : $0 }
    }

    /// The model's name, under its current or its old key.
    func model() throws(APIError) -> String {
        let name = try text("model") ?? ""
        return try name.isEmpty ? text("name") ?? "" : name
    }

    /// `keep_alive` in seconds: a number or a Go duration. A negative value means without limit.
    func keepAlive() throws(APIError) -> Double? {
        guard let value = json["keep_alive"], !value.isNull else { return nil }
        if let seconds = value.double { return seconds < 0 ? .infinity : seconds }
        guard let text = value.text else { return 300 }
        guard let seconds = Self.seconds(text) else {
            throw APIError(400, "time: invalid duration \(quoted(text))")
        }
        return seconds < 0 ? .infinity : seconds
    }

    /// A Go duration such as `1h30m` or `-1s`, in seconds.
    static func seconds(_ text: String) -> Double? {
        var rest = text[...]
        let sign = rest.hasPrefix("-") ? -1.0 : 1.0
        if rest.hasPrefix("-") || rest.hasPrefix("+") { rest = rest.dropFirst() }
        guard rest != "0" else { return 0 }
        guard !rest.isEmpty else { return nil }
        var total = 0.0
        let units = [("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9), ("h", 3600), ("m", 60), ("s", 1)]
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            rest = rest.dropFirst(digits.count)
            guard let number = Double(digits), let unit = units.first(where: { rest.hasPrefix($0.0) }) else {
                return nil
            }
            total += number * unit.1
            rest = rest.dropFirst(unit.0.count)
        }
        return sign * total
    }
}
