package import GatewayAPI

/// The validated arguments of a call.
package struct ToolArguments: Sendable, Hashable {
    /// The values by name, with defaults. Absent arguments without a default are missing.
    package let values: [String: JSONValue]

    /// Wraps validated values.
    package init(_ values: [String: JSONValue]) { self.values = values }

    /// The string of an argument; nil when absent.
    package func string(_ name: String) -> String? {
        if case .string(let text)? = values[name] { text } else { nil }
    }

    /// The integer of an argument; nil when absent.
    package func integer(_ name: String) -> Int64? {
        if case .integer(let number)? = values[name] { number } else { nil }
    }

    /// The number of an argument; nil when absent.
    package func number(_ name: String) -> Double? {
        switch values[name] {
        case .number(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }

    /// The boolean of an argument; nil when absent.
    package func boolean(_ name: String) -> Bool? {
        if case .bool(let flag)? = values[name] { flag } else { nil }
    }

    /// The strings of an array argument; nil when absent.
    package func strings(_ name: String) -> [String]? {
        guard case .array(let elements)? = values[name] else { return nil }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }
}
