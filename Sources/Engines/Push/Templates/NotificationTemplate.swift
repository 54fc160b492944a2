package import GatewayAPI
import Prompts

/// A notification with places for values: a message in JSON whose texts may have Mustache tags.
///
/// Tags are those of ``PromptTemplate``: variables, sections and comments. A text of `badge`, `expires`, `data` or
/// `activity` that is exactly one tag of a number or boolean becomes the number or boolean itself.
package struct NotificationTemplate: Sendable, Hashable {
    package enum Limits {
        /// Bytes of the message, as JSON.
        package static let message = 16 << 10
        /// The number of inputs.
        package static let inputs = 32
        /// Bytes of all rendered texts together.
        package static let rendered = 64 << 10
    }

    /// The name: 1 to 64 lower-case ASCII letters, digits and `-`.
    package let name: String
    /// What values it needs.
    package let inputs: [TemplateInput]
    /// The message before its texts are rendered.
    let message: JSONValue

    /// Reads and checks a template: `name`, `inputs` and `message`.
    ///
    /// The message is rendered once with the examples of the inputs, so a template with a field that no message has, or
    /// a tag that no input has, is refused here.
    ///
    /// - Throws: ``PushFieldError`` with the field, such as `message.title` or `inputs[0].type`.
    package init(_ value: JSONValue) throws(PushFieldError) {
        var reader = try FieldReader(value)
        guard let name = try reader.text("name"), PromptDocument.isID(name) else {
            throw PushFieldError("name", "expected 1 to 64 lower-case letters, digits and \"-\"")
        }
        self.name = name
        let definitions = try reader.array("inputs") ?? []
        guard definitions.count <= Limits.inputs else {
            throw PushFieldError("inputs", "expected at most \(Limits.inputs) entries, got \(definitions.count)")
        }
        var inputs: [TemplateInput] = []
        for (index, definition) in definitions.enumerated() {
            let input = try TemplateInput(definition, field: "inputs[\(index)]")
            guard !inputs.contains(where: { $0.name == input.name }) else {
                throw PushFieldError("inputs[\(index)].name", "is given twice")
            }
            inputs.append(input)
        }
        self.inputs = inputs
        guard let members = try reader.object("message") else { throw PushFieldError("message", "is required") }
        try FieldLimits.object(members, "message", limit: Limits.message)
        message = .object(members)
        try reader.finish()
        try Self.check(message, Set(inputs.map(\.name)), path: "message")
        do { _ = try preview() } catch {
            throw PushFieldError("message." + error.field, error.reason + " (with the examples of the inputs)")
        }
    }

    private static func check(_ value: JSONValue, _ names: Set<String>, path: String) throws(PushFieldError) {
        switch value {
        case .string(let text) where text.contains("{{"):
            do { try PromptTemplate.check(text, variables: names) } catch { throw PushFieldError(path, error.problem) }
        case .array(let elements):
            for (index, element) in elements.enumerated() { try check(element, names, path: "\(path)[\(index)]") }
        case .object(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                try check(member, names, path: "\(path).\(name.prefix(64))")
            }
        default: break
        }
    }
}
