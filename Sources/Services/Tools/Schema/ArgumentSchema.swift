package import GatewayAPI

/// The JSON Schema of a tool's arguments, in the subset that Ollama, OpenAI, Anthropic and MCP all accept: `type`,
/// `properties`, `required`, `additionalProperties`, `enum`, `items`, `minimum`, `maximum`, `minLength`, `maxLength`,
/// `minItems`, `maxItems`, `default` and `description`.
package struct ArgumentSchema: Sendable, Hashable {
    /// The maximum nesting of objects and arrays; a ``ToolRegistry`` refuses deeper schemas.
    package static let depthLimit = 8

    /// The type of a value, with the limits of this type.
    package indirect enum Shape: Sendable, Hashable {
        /// Properties, in the order that a model sees.
        case object([Property], allowsOthers: Bool)
        /// The limits count elements.
        case array(of: ArgumentSchema, Limits<Int>)
        /// The limits count Unicode scalars.
        case string(Limits<Int>)
        case integer(Limits<Int64>)
        case number(Limits<Double>)
        case boolean
        /// Any JSON value except null, which counts as absent.
        case anything
    }

    /// A member of an object.
    package struct Property: Sendable, Hashable {
        /// The member's name.
        package let name: String
        /// The schema of its value.
        package let schema: ArgumentSchema
        /// Whether the member is required. A member with a default may always be absent.
        package let isRequired: Bool
    }

    /// An inclusive range that may be open at either end.
    package struct Limits<Value: Comparable & Hashable & Sendable>: Sendable, Hashable {
        /// The smallest valid value; nil for no limit.
        package let least: Value?
        /// The largest valid value; nil for no limit.
        package let most: Value?

        package init(_ least: Value? = nil, _ most: Value? = nil) {
            self.least = least
            self.most = most
        }

        /// Whether a value lies within the limits.
        package func contains(_ value: Value) -> Bool {
            if let least, value < least { return false }
            if let most, value > most { return false }
            return true
        }
    }

    /// The type and its limits.
    package let shape: Shape
    /// The meaning of the value, for the model; encoded as `description`.
    package let meaning: String?
    /// The only valid values, encoded as `enum`; empty for any.
    package let allowed: [JSONValue]
    /// The value to use for an absent argument.
    package let defaultValue: JSONValue?

    /// Creates a schema of any type. The static functions for each type are shorter.
    package init(
        _ shape: Shape, meaning: String? = nil, allowed: [JSONValue] = [], defaultValue: JSONValue? = nil
    ) {
        self.shape = shape
        self.meaning = meaning
        self.allowed = allowed
        self.defaultValue = defaultValue
    }
}

extension ArgumentSchema {
    /// An object; `additionalProperties` is false by default.
    package static func object(
        _ properties: [Property], allowsOthers: Bool = false, meaning: String? = nil
    ) -> ArgumentSchema {
        ArgumentSchema(.object(properties, allowsOthers: allowsOthers), meaning: meaning)
    }

    /// An array; the limits count its elements.
    package static func array(
        of element: ArgumentSchema, _ meaning: String? = nil, least: Int? = nil, most: Int? = nil
    ) -> ArgumentSchema {
        ArgumentSchema(.array(of: element, Limits(least, most)), meaning: meaning)
    }

    /// A string; the limits count Unicode scalars.
    package static func string(
        _ meaning: String? = nil, least: Int? = nil, most: Int? = nil, allowed: [String] = [],
        defaultValue: String? = nil
    ) -> ArgumentSchema {
        ArgumentSchema(
            .string(Limits(least, most)), meaning: meaning, allowed: allowed.map(JSONValue.string),
            defaultValue: defaultValue.map(JSONValue.string))
    }

    /// A whole number of 64 bits.
    package static func integer(
        _ meaning: String? = nil, least: Int64? = nil, most: Int64? = nil, defaultValue: Int64? = nil
    ) -> ArgumentSchema {
        ArgumentSchema(
            .integer(Limits(least, most)), meaning: meaning, defaultValue: defaultValue.map(JSONValue.integer))
    }

    /// A finite number.
    package static func number(
        _ meaning: String? = nil, least: Double? = nil, most: Double? = nil, defaultValue: Double? = nil
    ) -> ArgumentSchema {
        ArgumentSchema(
            .number(Limits(least, most)), meaning: meaning, defaultValue: defaultValue.map(JSONValue.number))
    }

    /// True or false.
    package static func boolean(_ meaning: String? = nil, defaultValue: Bool? = nil) -> ArgumentSchema {
        ArgumentSchema(.boolean, meaning: meaning, defaultValue: defaultValue.map(JSONValue.bool))
    }
}

extension ArgumentSchema.Property {
    /// A required member, unless its schema has a default.
    package static func required(_ name: String, _ schema: ArgumentSchema) -> Self {
        Self(name: name, schema: schema, isRequired: true)
    }

    /// An optional member.
    package static func optional(_ name: String, _ schema: ArgumentSchema) -> Self {
        Self(name: name, schema: schema, isRequired: false)
    }
}
