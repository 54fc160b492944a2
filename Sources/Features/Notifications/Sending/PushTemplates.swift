import GatewayAPI
import Push
import PushRoom

/// The templates of messages.
struct PushTemplates: Sendable {
    let library: PushLibrary

    /// The message of a request: its own, or that of a template.
    ///
    /// - Throws: ``PushRefusal/field(_:_:)``.
    func message(
        _ message: JSONValue?, _ template: String?, _ inputs: [String: JSONValue]?
    ) async throws -> PushMessage {
        switch (message, template) {
        case (let value?, nil):
            guard inputs == nil else { throw PushRefusal.field("inputs", "belong to a template") }
            return try refusing("message.") { () throws(PushFieldError) in try PushMessage(value) }
        case (nil, let name?): return try await render(name, inputs ?? [:])
        default: throw PushRefusal.field("message", "expected exactly one of message and template")
        }
    }

    /// The message of a template with values.
    ///
    /// - Throws: ``PushRefusal/field(_:_:)`` for a template that does not exist, and for its values.
    func render(_ template: String, _ inputs: [String: JSONValue]) async throws -> PushMessage {
        guard let stored = try await library.find(.template, template) else {
            throw PushRefusal.field("template", "there is no template \"\(template.prefix(64))\"")
        }
        let read = try Self.read(stored.document)
        return try refusing { () throws(PushFieldError) in try read.render(inputs) }
    }

    /// Reads a stored template.
    static func read(_ document: String) throws(PushRefusal) -> NotificationTemplate {
        guard let value = (try? JSONDocument(parsing: Array(document.utf8)))?.value else {
            throw .field("template", "the stored template cannot be read")
        }
        return try refusing { () throws(PushFieldError) in try NotificationTemplate(value) }
    }
}
