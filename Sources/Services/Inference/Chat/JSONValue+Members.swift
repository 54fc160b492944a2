package import GatewayAPI

extension JSONValue {
    /// The value of an object's member; nil when the value is no object or lacks the member.
    package subscript(name: String) -> JSONValue? { if case .object(let members) = self { members[name] } else { nil } }

    /// The text of a string; nil for any other value.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The value of `true` or `false`; nil for any other value.
    package var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// A whole number that is not negative; nil for any other value.
    package var count: Int? { if case .integer(let number) = self, number >= 0 { Int(exactly: number) } else { nil } }

    /// The elements of an array; nil for any other value.
    package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

    package var isObject: Bool { if case .object = self { true } else { false } }
}
