package import GatewayAPI
import Prompts

extension NotificationTemplate {
    /// The message with the examples of the inputs.
    package func preview() throws(PushFieldError) -> PushMessage {
        try render(typed: Dictionary(inputs.map { ($0.name, $0.sample) }, uniquingKeysWith: { first, _ in first }))
    }

    /// The message with values.
    ///
    /// - Parameter given: By the name of the input. Inputs without a value get their default.
    /// - Throws: ``PushFieldError`` for `inputs.NAME` that is unknown, missing or against its limits, and for a field of
    ///   the message that its values make invalid.
    package func render(_ given: [String: JSONValue]) throws(PushFieldError) -> PushMessage {
        var values: [String: JSONValue] = [:]
        for input in inputs {
            let field = "inputs.\(input.name)"
            if let value = given[input.name], value != .null {
                try input.check(value, field: field)
                values[input.name] = value
            } else if let value = input.defaultValue {
                values[input.name] = value
            } else if input.isRequired {
                throw PushFieldError(field, "is required")
            }
        }
        if let name = given.keys.filter({ name in !inputs.contains { $0.name == name } }).min() {
            let list = inputs.map(\.name).joined(separator: ", ")
            throw PushFieldError(
                "inputs.\(name.prefix(64))", "is not known" + (list.isEmpty ? "" : "; the template has \(list)"))
        }
        return try render(typed: values)
    }

    private func render(typed values: [String: JSONValue]) throws(PushFieldError) -> PushMessage {
        guard case .object(let members) = message else { throw PushFieldError("message", "expected an object") }
        var renderer = Renderer(values: values)
        var rendered: [String: JSONValue] = [:]
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let isTyped = ["badge", "expires", "data", "activity"].contains(name)
            let value = try renderer.render(member, path: name, isTyped: isTyped)
            // A text that its values leave empty counts as absent.
            if case .string(let text) = value, text.isEmpty, member != value { continue }
            rendered[name] = value
        }
        return try PushMessage(.object(rendered))
    }

    /// Renders the texts of a message, bounded in all.
    private struct Renderer {
        let values: [String: JSONValue]
        private let texts: [String: String]
        private var left = Limits.rendered

        init(values: [String: JSONValue]) {
            self.values = values
            texts = values.mapValues(Self.text)
        }

        mutating func render(_ value: JSONValue, path: String, isTyped: Bool) throws(PushFieldError) -> JSONValue {
            switch value {
            case .string(let text): return try render(text, path: path, isTyped: isTyped)
            case .array(let elements):
                var rendered: [JSONValue] = []
                for (index, element) in elements.enumerated() {
                    rendered.append(try render(element, path: "\(path)[\(index)]", isTyped: isTyped))
                }
                return .array(rendered)
            case .object(let members):
                var rendered: [String: JSONValue] = [:]
                for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                    rendered[name] = try render(member, path: "\(path).\(name.prefix(64))", isTyped: isTyped)
                }
                return .object(rendered)
            default: return value
            }
        }

        private mutating func render(_ text: String, path: String, isTyped: Bool) throws(PushFieldError) -> JSONValue {
            guard text.contains("{{") else { return .string(text) }
            if isTyped, text.hasPrefix("{{"), text.hasSuffix("}}") {
                let name = text.dropFirst(2).dropLast(2).filter { $0 != " " }
                switch values[name] {
                case .integer, .number, .bool: return values[name] ?? .null
                default: break
                }
            }
            do {
                let rendered = try PromptTemplate.render(text, texts, limit: left)
                left -= min(rendered.utf8.count, left)
                return .string(rendered)
            } catch {
                throw PushFieldError(path, error.field == "values" ? "the values \(error.problem)" : error.problem)
            }
        }

        /// The text that a value has within a text.
        private static func text(_ value: JSONValue) -> String {
            switch value {
            case .string(let text): text
            case .bool(let flag): flag ? "true" : ""
            default: String(decoding: value.json, as: UTF8.self)
            }
        }
    }
}
