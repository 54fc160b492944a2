import GatewayAPI

/// One thing that is wrong with the arguments of a call.
package struct ArgumentIssue: Sendable, Hashable {
    /// Where it is, such as `filters.tags[2]`; empty for the arguments as a whole.
    package let path: String
    /// What was expected and what came.
    package let problem: String

    /// One line for a model: `"limit": expected an integer from 1 to 50, got 1000`.
    package var text: String { path.isEmpty ? problem : "\"\(path)\": \(problem)" }
}

/// The arguments of a call do not fit the schema of its tool.
package struct ArgumentError: Error, Sendable, Hashable {
    /// Issues at most; what comes after them is not looked at.
    package static let issueLimit = 8
    /// What is wrong, in the order of the schema; at least one.
    package let issues: [ArgumentIssue]

    /// The issues as text for a model, a line each.
    package var text: String { issues.map(\.text).joined(separator: "\n") }
}

/// A step from a value to one inside it.
enum ArgumentStep {
    case member(String)
    case element(Int)
}

extension [ArgumentStep] {
    /// The steps as `filters.tags[2]`.
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

/// A short form of a text that a model wrote, for messages.
enum Excerpt {
    /// Unicode scalars that are repeated at most.
    static let limit = 48

    /// The beginning of a text, with `…` where it was cut and a space for each control character.
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

    /// What a value is, with its text when it is short.
    static func of(_ value: JSONValue) -> String {
        switch value {
        case .null, .bool, .integer, .number: String(decoding: value.json, as: UTF8.self)
        case .string(let text): "\"\(of(text))\""
        case .array(let elements): "an array of \(elements.count)"
        case .object: "an object"
        }
    }
}
