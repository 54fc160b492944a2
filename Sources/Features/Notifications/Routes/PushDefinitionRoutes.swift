import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import Push
import PushRoom
import Server

/// The routes of templates: Pulpit's notification definitions.
struct PushDefinitionRoutes: Sendable {
    private static let maxPage = 200
    /// Bytes of a template.
    private static let maxTemplate = 128 << 10

    let store: PushLibrary
    let bodyLimit: Int

    /// `GET /api/v1/notifications/definitions`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let page = try await store.page(.template, after: try request.cursor(), limit: limit)
        return JSONReply.response(
            PushDefinitionList(definitions: page.items.map(Self.show), nextCursor: page.next?.text))
    }

    /// `POST /api/v1/notifications/definitions`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (name, document) = try await read(request, context)
        let stored = try await store.add(.template, name: name, document: document)
        return JSONReply.response(Self.show(stored), status: .created)
    }

    /// `PUT /api/v1/notifications/definitions/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.pathText("id", maxBytes: 64)
        let (name, document) = try await read(request, context)
        return JSONReply.response(Self.show(try await store.change(.template, id, name: name, document: document)))
    }

    /// `DELETE /api/v1/notifications/definitions/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await store.delete(.template, context.pathText("id", maxBytes: 64))
        return Response(status: .noContent)
    }

    /// `POST /api/v1/notifications/definitions/:id/preview`: the message, without sending it.
    func preview(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.pathText("id", maxBytes: 64)
        guard let stored = try await store.find(.template, id) else {
            throw GatewayError(.notFound, .notFound, "there is no template \(id)")
        }
        let template = try PushTemplates.read(stored.document)
        let wanted = try await JSONRequest.decodeIfPresent(Inputs.self, from: request, limit: bodyLimit, in: context)
        let message = try refusing { () throws(PushFieldError) in
            if let inputs = wanted?.inputs { try template.render(inputs) } else { try template.preview() }
        }
        return JSONReply.response(Preview(message: message.json))
    }

    private struct Inputs: Codable { var inputs: [String: JSONValue]? }
    private struct Preview: Codable { var message: JSONValue }

    private func read(
        _ request: Request, _ context: GatewayRequestContext
    ) async throws -> (name: String, document: String) {
        let value = try await JSONRequest.decode(
            JSONValue.self, from: request, limit: min(bodyLimit, Self.maxTemplate), in: context)
        let template = try refusing { () throws(PushFieldError) in try NotificationTemplate(value) }
        guard template.name != "definitions" else { throw GatewayError.field("name", "\"definitions\" is reserved") }
        return (template.name, String(decoding: value.json, as: UTF8.self))
    }

    private static func show(_ stored: PushDocument) -> PushDefinition {
        let template = (try? JSONDocument(parsing: Array(stored.document.utf8)))?.value
        return PushDefinition(
            id: stored.uuid, name: stored.name, template: template ?? .null,
            createdAt: PushTime.text(stored.createdAt), updatedAt: PushTime.text(stored.updatedAt))
    }
}
