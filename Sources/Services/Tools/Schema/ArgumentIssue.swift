import GatewayAPI

/// One error in the arguments of a call.
package struct ArgumentIssue: Sendable, Hashable {
    /// The path of the value, such as `filters.tags[2]`; empty for the arguments as a whole.
    package let path: String
    /// The expected and the received value.
    package let problem: String

    /// The issue on one line, for a model: `"limit": expected an integer from 1 to 50, got 1000`.
    package var text: String { path.isEmpty ? problem : "\"\(path)\": \(problem)" }
}

/// The error when the arguments of a call do not match the schema of its tool.
package struct ArgumentError: Error, Sendable, Hashable {
    /// The maximum number of issues; further ones are not collected.
    package static let issueLimit = 8
    /// The issues in the order of the schema; at least one.
    package let issues: [ArgumentIssue]

    /// The issues as text for a model, one on each line.
    package var text: String { issues.map(\.text).joined(separator: "\n") }
}

/// A step from a value to a value inside it.
enum ArgumentStep {
    case member(String)
    case element(Int)
}

extension [ArgumentStep] {
    /// The path of the steps: `filters.tags[2]`.
    var text: String {
        var text = ""
        for step in self {
            switch step {
            case .member(let name): text += (text.isEmpty ? "" : ".") + Excerpt.of(name)
            case .element(let index): text += "[\(index)]"
            }
        }
        return text
    }
}

/// Shortens text written by a model, for messages.
enum Excerpt {
    /// The maximum number of Unicode scalars shown.
    static let limit = 48

    /// The beginning of a text, with `…` where it was cut. Control characters become spaces.
    static func of(_ text: some StringProtocol) -> String {
        var excerpt = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < limit else { return excerpt + "…" }
            excerpt.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
            count += 1
        }
        return excerpt
    }

    /// The type of a value, with its text if that is short.
    static func of(_ value: JSONValue) -> String {
        switch value {
        case .null, .bool, .integer, .number: String(decoding: value.json, as: UTF8.self)
        case .string(let text): "\"\(of(text))\""
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
