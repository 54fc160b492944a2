package import GatewayAPI

extension ArgumentSchema {
    /// The schema as JSON Schema. `required` keeps the order of the properties.
    package var json: JSONValue {
        var members = shape.json
        if let meaning { members["description"] = .string(meaning) }
        if !allowed.isEmpty { members["enum"] = .array(allowed) }
        if let defaultValue { members["default"] = defaultValue }
        return .object(members)
    }
}

extension ArgumentSchema.Shape {
    fileprivate var json: [String: JSONValue] {
        switch self {
        case .object(let properties, let allowsOthers):
            var schemas: [String: JSONValue] = [:]
            for property in properties { schemas[property.name] = property.schema.json }
            var members: [String: JSONValue] = [
                "type": .string("object"), "properties": .object(schemas), "additionalProperties": .bool(allowsOthers),
            ]
            let required = properties.filter(\.isRequired).map { JSONValue.string($0.name) }
            if !required.isEmpty { members["required"] = .array(required) }
            return members
        case .array(let element, let limits):
            return ["type": .string("array"), "items": element.json]
                .limited(limits, "minItems", "maxItems") { .integer(Int64($0)) }
        case .string(let limits):
            return ["type": .string("string")].limited(limits, "minLength", "maxLength") { .integer(Int64($0)) }
        case .integer(let limits):
            return ["type": .string("integer")].limited(limits, "minimum", "maximum", JSONValue.integer)
        case .number(let limits):
            return ["type": .string("number")].limited(limits, "minimum", "maximum", JSONValue.number)
        case .boolean: return ["type": .string("boolean")]
        case .anything: return [:]
        }
    }
}

extension [String: JSONValue] {
    fileprivate func limited<Bound>(
        _ limits: ArgumentSchema.Limits<Bound>, _ least: String, _ most: String, _ json: (Bound) -> JSONValue
    ) -> Self {
        var members = self
        if let value = limits.least { members[least] = json(value) }
        if let value = limits.most { members[most] = json(value) }
        return members
    }
}
