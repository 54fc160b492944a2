/// Builds a value that a JSON schema allows, always the same: all properties, in the schema's order.
///
/// Supports types, `const`, `enum`, `default`, references into the schema, `anyOf`, `oneOf`, `allOf`, the limits of
/// numbers, lengths and counts, and common formats. It does not support patterns.
package struct SchemaInstance {
    let schema: JSON
    let root: JSON
    let name: String
    private let depth: Int

    package init(schema: JSON, root: JSON? = nil, name: String = "value", depth: Int = 0) {
        self.schema = schema
        self.root = root ?? schema
        self.name = name
        self.depth = depth
    }

    private func nested(_ schema: JSON, name: String? = nil) -> JSON {
        SchemaInstance(schema: schema, root: root, name: name ?? self.name, depth: depth + 1).value
    }

    package var value: JSON {
        guard depth < 24 else { return .null }
        if let value = schema["const"] ?? schema["enum"]?.elements?.first { return value }
        if let reference = schema["$ref"]?.text { return resolve(reference).map { nested($0) } ?? .null }
        if let parts = schema["allOf"]?.elements, !parts.isEmpty { return merged(parts) }
        if let choices = (schema["anyOf"] ?? schema["oneOf"])?.elements, let first = choices.first {
            // At great depth, takes the choice that ends a recursion.
            let plain = choices.first { $0["type"] == "null" }
            return nested(depth > 8 ? plain ?? first : first)
        }
        let types = schema["type"]?.elements?.compactMap(\.text) ?? [schema["type"]?.text].compactMap { $0 }
        switch types.first ?? (schema["properties"] != nil ? "object" : schema["items"] != nil ? "array" : "string") {
        case "object": return object
        case "array": return array
        case "integer": return JSON(integer)
        case "number": return .number(schema["multipleOf"] != nil ? String(integer) : goNumber(number))
        case "boolean": return true
        case "null": return .null
        default: return .string(text)
        }
    }

    private var object: JSON {
        let required = schema["required"]?.elements?.compactMap(\.text) ?? []
        let members = schema["properties"]?.members ?? []
        return .object(
            members.filter { depth < 6 || required.contains($0.key) }.map {
                .init(key: $0.key, value: nested($0.value, name: $0.key))
            })
    }

    private var array: JSON {
        if let first = schema["prefixItems"]?.elements { return .array(first.map { nested($0) }) }
        let least = schema["minItems"]?.int ?? 0
        let most = schema["maxItems"]?.int ?? .max
        let count = min(max(least, depth > 6 ? 0 : 2), most, 1000)
        let item = schema["items"] ?? ["type": "string"]
        return .array((0..<max(0, count)).map { _ in nested(item) })
    }

    private var integer: Int {
        let step = max(1, schema["multipleOf"]?.int ?? 1)
        let least = schema["minimum"]?.double ?? schema["exclusiveMinimum"]?.double.map { $0 + 1 } ?? 1
        let most = schema["maximum"]?.double ?? schema["exclusiveMaximum"]?.double.map { $0 - 1 } ?? .infinity
        let wanted = min(max(1, least.rounded(.up)), most.rounded(.down))
        guard let start = Int(exactly: wanted) else { return 0 }
        let rest = start % step
        return rest == 0 ? start : start - rest + (start + step - rest <= (Int(exactly: most) ?? .max) ? step : 0)
    }

    private var number: Double {
        let least = schema["minimum"]?.double ?? schema["exclusiveMinimum"]?.double.map { $0 + 0.5 } ?? 0.5
        let most = schema["maximum"]?.double ?? schema["exclusiveMaximum"]?.double.map { $0 - 0.5 } ?? .infinity
        return min(max(0.5, least), most)
    }

    private var text: String {
        switch schema["format"]?.text {
        case "date-time": return "2026-01-01T00:00:00Z"
        case "date": return "2026-01-01"
        case "time": return "00:00:00Z"
        case "email": return "someone@example.org"
        case "uri", "url": return "https://example.org/"
        case "uuid": return "00000000-0000-4000-8000-000000000000"
        case "ipv4": return "192.0.2.1"
        default: break
        }
        let least = min(schema["minLength"]?.int ?? 0, 10_000)
        let padded = name + String(repeating: "x", count: max(0, least - name.count))
        return String(padded.prefix(max(0, schema["maxLength"]?.int ?? .max)))
    }

    /// The part of the schema that a reference such as `#/$defs/Point` names.
    private func resolve(_ reference: String) -> JSON? {
        guard reference.hasPrefix("#") else { return nil }
        var place: JSON? = root
        for part in reference.dropFirst().split(separator: "/") { place = place?[String(part)] }
        return place
    }

    /// Merges the objects of all parts.
    private func merged(_ parts: [JSON]) -> JSON {
        let values = parts.map { nested($0) }
        let members = values.flatMap { $0.members ?? [] }
        return members.isEmpty ? values.first ?? .null : .object(members)
    }
}
