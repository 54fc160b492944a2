import Foundation
import GatewayAPI
import TestSupport

/// Makes values of schemas. A quarter of the requests is wild: with wrong types, sizes and characters.
struct RandomValues {
    private let document: JSONValue
    private let pools: [String: [JSONValue]]
    private var random: SeededGenerator
    private let isWild: Bool

    init(document: JSONValue, pools: [String: [JSONValue]], random: SeededGenerator) {
        (self.document, self.pools, self.random) = (document, pools, random)
        isWild = Double.random(in: 0..<1, using: &self.random) < 0.25
    }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    mutating func pick<Elements: RandomAccessCollection>(_ elements: Elements) -> Elements.Element? {
        elements.randomElement(using: &random)
    }

    private mutating func known(_ pool: String) -> JSONValue? {
        let all = pools[pool] ?? []
        return pick(chance(0.7) ? all.suffix(12) : all[...])
    }

    /// A part of an address.
    mutating func part(_ name: String, of path: String, _ schema: JSONValue) -> String {
        let pool: String? =
            switch name {
            case "id", "other": AnswerComparison.collection(path)
            case "note": "/api/notes"
            case "version", "name": name
            default: nil
            }
        var value: JSONValue?
        if let pool, chance(isWild ? 0.8 : 0.98) { value = known(pool) }
        let found = value ?? self.value(schema, name)
        return if case .string(let text) = found { text } else { String(decoding: found.json, as: UTF8.self) }
    }

    /// A body: often one that the route takes, with changed and further fields.
    mutating func body(of operation: RandomRequests.Operation, _ schema: JSONValue) -> JSONValue {
        let parts = operation.path.split(separator: "/")
        let samples = (Self.samples + UnknownFieldsLive.routes).filter { sample in
            let own = sample.path.split(separator: "/")
            return sample.method == operation.method && own.count == parts.count
                && zip(own, parts).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
        }
        guard chance(0.75), let sample = pick(samples),
            var body = (try? JSONDecoder().decode(JSONValue.self, from: Data(sample.body.utf8)))?.members
        else { return named(value(schema), operation) }
        let (isOneOf, share) = (schema["maxProperties"] == .integer(1), pick([0, 0.1, 0.3]) ?? 0)
        for (name, field) in schema["properties"].members.sorted(by: { $0.key < $1.key }) {
            let isThere = body[name] != nil
            if body[name] == .string("") || isThere && chance(0.6) || !isThere && !isOneOf && chance(share) {
                body[name] = value(field, name)
            }
        }
        return named(.object(body), operation)
    }

    /// A body for a new row whose id the client chooses. Rows of one second are ordered by their ids.
    private mutating func named(_ body: JSONValue, _ operation: RandomRequests.Operation) -> JSONValue {
        guard case .object(var members) = body, operation.method == "POST" else { return body }
        if operation.path == "/api/actions/parse" { members["confirm"] = nil }
        let named = ["/api/goals", "/api/actions", "/api/values", "/api/terms", "/api/measures"]
        guard named.contains(operation.path) else { return .object(members) }
        members["id"] = known(operation.path).flatMap { chance(0.1) ? $0 : nil } ?? .string(uuid())
        return .object(members)
    }

    mutating func value(_ schema: JSONValue, _ name: String = "") -> JSONValue {
        let schema = document.resolved(schema)
        if isWild, chance(0.03) { return pick(Self.odd) ?? .null }
        if let pool = Self.references[name], chance(0.85), let value = known(pool) { return value }
        if let choice = pick(schema["oneOf"].elements + schema["anyOf"].elements) { return value(choice, name) }
        if let choice = pick(schema["enum"].elements.filter { isWild || $0 != .null }), !isWild || chance(0.9) {
            return choice
        }
        if let usual = Self.usual[name], chance(Self.texts.contains(name) ? 0.4 : 0.85), let value = pick(usual) {
            return value
        }
        let types = schema["type"] == .null ? [] : schema["type"].elements + [schema["type"]]
        switch chance(0.9) ? types.first : types.last {
        case .string("null"), .array: return .null
        case .string("boolean"): return .bool(chance(0.5))
        case .string("integer"), .string("number"): return number(schema)
        case .string("array"):
            let count = pick([0, 1, 1, 2, 3]) ?? 1
            let element = Self.references[name] == nil && name.hasSuffix("s") ? String(name.dropLast()) : name
            return .array((0..<count).map { _ in value(schema["items"], element) })
        case .string("string"): return .string(text(schema))
        default: return schema.members.isEmpty ? .string(text(schema)) : object(schema)
        }
    }

    private mutating func object(_ schema: JSONValue) -> JSONValue {
        var (properties, required) = (schema["properties"].members, schema["required"].elements)
        for part in schema["allOf"].elements.map({ document.resolved($0) }) {
            properties.merge(part["properties"].members) { $1 }
            required += part["required"].elements
        }
        var object: [String: JSONValue] = [:]
        let share = pick([0.15, 0.4, 0.7]) ?? 0
        for (name, field) in properties.sorted(by: { $0.key < $1.key }) {
            let isRequired = required.contains(.string(name))
            if isRequired ? !isWild || chance(0.95) : chance(share) { object[name] = value(field, name) }
        }
        if isWild, chance(0.02) { object["zzz"] = .integer(1) }
        if properties.isEmpty, chance(0.6) { object[pick(Self.words) ?? ""] = .string(text(schema)) }
        return .object(object)
    }

    private mutating func number(_ schema: JSONValue) -> JSONValue {
        let least: Int64 = if case .integer(let least) = schema["minimum"] { least } else { -5 }
        let most: Int64 = if case .integer(let most) = schema["maximum"] { most } else { 1000 }
        if isWild, chance(0.15) {
            return .integer(pick([least - 1, most + 1, -1, 0, 1 << 31, 1 << 53, .max, .min]) ?? 0)
        }
        let near = max(least, min(most, least + 12))
        if schema["type"] == .string("integer") {
            return .integer(Int64.random(in: least...max(least, chance(0.8) ? near : most), using: &random))
        }
        if chance(0.3) { return .number(pick([0.1, 1, 2.5, 1e-7]) ?? 0) }
        return .number((Double.random(in: Double(least)...Double(near), using: &random) * 100).rounded() / 100)
    }

    private mutating func uuid() -> String {
        let digits = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16, uppercase: true) }
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }.joined(separator: "-")
    }

    private mutating func text(_ schema: JSONValue) -> String {
        let pattern = if case .string(let pattern) = schema["pattern"] { pattern } else { "" }
        if pattern.contains("{8}-"), !isWild || chance(0.9) { return uuid() }
        for (part, texts) in Self.patterns where pattern.contains(part) { return pick(texts) ?? "" }
        if pattern == "^[A-Za-z0-9_-]+$" { return "run-\(Int.random(in: 0..<1_000_000, using: &random))" }
        if schema["format"] == .string("date-time") { return pick(Self.dates) ?? "" }
        if chance(0.3), case .string(let example)? = schema["examples"].elements.first { return example }
        let most: Int = if case .integer(let most) = schema["maxLength"] { Int(most) } else { 1000 }
        if isWild, chance(0.05) {
            return String(
                repeating: pick(["x ", "\u{E9}", "\u{1F30A}"]) ?? "", count: pick([127, 128, 129, 500, 5000]) ?? 1)
        }
        if chance(0.13), let text = pick(Self.oddTexts), isWild || !text.utf8.contains(0) { return text }
        let words = (0..<Int.random(in: 1...(most > 60 ? 7 : 2), using: &random)).map { _ in pick(Self.words) ?? "" }
        let text = words.joined(separator: " ")
        return isWild ? text : String(text.prefix(most))
    }
}
