import Access
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import PushRoom
import Server

/// The routes of actions of the server, and `POST /api/v1/execute`.
struct PushActionRoutes: Sendable {
    private static let maxPage = 200

    let store: PushLibrary
    let runner: ActionRunner
    let bodyLimit: Int

    /// `POST /api/v1/execute`
    func execute(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(PushExecuteRequest.self, from: request, limit: bodyLimit, in: context)
        let stored = try await runner.run(wanted, sender: context.identity.keyID)
        var response = JSONReply.response(PushSendRoutes.notification(stored), status: .accepted)
        response.headers[.location] = "/api/v1/messages/\(stored.message.uuid)"
        return response
    }

    /// `GET /api/v1/actions`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let page = try await store.page(.action, after: try request.cursor(), limit: limit)
        return JSONReply.response(
            PushActionList(actions: page.items.map(Self.show), nextCursor: page.next?.text))
    }

    /// `POST /api/v1/actions`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (name, document) = try await read(request, context)
        return JSONReply.response(
            Self.show(try await store.add(.action, name: name, document: document)), status: .created)
    }

    /// `PUT /api/v1/actions/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.pathText("id", maxBytes: 64)
        let (name, document) = try await read(request, context)
        return JSONReply.response(Self.show(try await store.change(.action, id, name: name, document: document)))
    }

    /// `DELETE /api/v1/actions/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await store.delete(.action, context.pathText("id", maxBytes: 64))
        return Response(status: .noContent)
    }

    private func read(
        _ request: Request, _ context: GatewayRequestContext
    ) async throws -> (name: String, document: String) {
        let wanted = try await JSONRequest.decode(PushActionRequest.self, from: request, limit: bodyLimit, in: context)
        let name = try FieldCheck.text(wanted.name, "name", maxBytes: 128) as String
        _ = try FieldCheck.text(wanted.shortcutName, "shortcutName", maxBytes: 128)
        return (name, try runner.document(of: wanted))
    }

    private static func show(_ stored: PushDocument) -> PushServerAction {
        let read = try? JSONDocument(parsing: Array(stored.document.utf8)).decode(PushActionRequest.self)
        var action = PushServerAction(
            id: stored.uuid, name: stored.name, isSigned: read?.webhookSecret != nil,
            createdAt: PushTime.text(stored.createdAt), updatedAt: PushTime.text(stored.updatedAt))
        action.shortcutName = read?.shortcutName
        action.webhookUrl = read?.webhookUrl
        action.input = read?.input
        return action
    }
}
