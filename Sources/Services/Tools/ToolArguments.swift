package import GatewayAPI

/// The arguments of a call after they passed the schema of its tool.
package struct ToolArguments: Sendable, Hashable {
    /// The values by name, with defaults. An argument that is absent and has no default has no value.
    package let values: [String: JSONValue]

    /// Wraps values that a schema has passed.
    package init(_ values: [String: JSONValue]) { self.values = values }

    /// A string; nil when absent.
    package func string(_ name: String) -> String? {
        if case .string(let text)? = values[name] { text } else { nil }
    }

    /// A whole number; nil when absent.
    package func integer(_ name: String) -> Int64? {
        if case .integer(let number)? = values[name] { number } else { nil }
    }

    /// A number; nil when absent.
    package func number(_ name: String) -> Double? {
        switch values[name] {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    /// True or false; nil when absent.
    package func boolean(_ name: String) -> Bool? {
        if case .bool(let flag)? = values[name] { flag } else { nil }
    }

    /// The strings of an array; nil when absent.
    package func strings(_ name: String) -> [String]? {
        guard case .array(let elements)? = values[name] else { return nil }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
