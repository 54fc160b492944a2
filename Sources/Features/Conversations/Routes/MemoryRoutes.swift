import ChatRoom
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

/// The routes for memories: facts learned from conversations.
struct MemoryRoutes: Sendable {
    let store: MemoryRoom
    /// Whether chats find memories and use them.
    let isOn: Bool
    let bodyLimit: Int

    /// `GET /api/memories`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...NotesLimits.maxPage)
        let (embeddings, cursor) = (try request.flag("embeddings"), try request.cursor())
        let states = MemoryDetails.State.allCases.map(\.rawValue) + ["all"]
        let state = try request.word("state", of: states) ?? MemoryDetails.State.active.rawValue
        let type = try request.word("type", of: Memory.types)
        let page = try await context.scan { [store] in
            try await store.page(
                embeddings: embeddings, state: MemoryDetails.State(rawValue: state), type: type, after: cursor,
                limit: limit)
        }
        return JSONReply.response(
            MemoriesResponse(memories: page.items, nextCursor: page.next?.text, isOn: isOn))
    }

    /// `POST /api/memories`
    func create(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let new = try await JSONRequest.decode(NewMemory.self, from: request, limit: bodyLimit, in: context)
        let checked = NewMemory(
            content: try FieldCheck.text(new.content, "content", maxBytes: NotesLimits.maxMemoryBytes),
            type: try FieldCheck.word(new.type, "type", of: Memory.types),
            confidence: try FieldCheck.share(new.confidence, "confidence"),
            sourceSessionID: try FieldCheck.text(
                new.sourceSessionID, "sourceSessionId", maxBytes: NotesLimits.maxSessionIDBytes),
            embedding: try new.embedding.map { try FieldCheck.vector($0, "embedding") })
        return JSONReply.response(try await store.create(checked), status: .created)
    }

    /// `PUT /api/memories/:id` and `PATCH /api/memories/:id`, which are the same.
    func update(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let update = try await JSONRequest.decode(MemoryUpdate.self, from: request, limit: bodyLimit, in: context)
        let checked = MemoryUpdate(
            content: try FieldCheck.text(update.content, "content", maxBytes: NotesLimits.maxMemoryBytes),
            type: try update.type.map { try FieldCheck.word($0, "type", of: Memory.types) },
            confidence: try FieldCheck.share(update.confidence, "confidence"),
            embedding: try update.embedding.map { VectorValue(try FieldCheck.vector($0, "embedding")) },
            isPinned: update.isPinned)
        guard checked != MemoryUpdate() else {
            throw GatewayError(
                .badRequest, .invalidField,
                "expected one of \"content\", \"type\", \"confidence\", \"embedding\" and \"is_pinned\"")
        }
        guard let memory = try await store.update(id, checked) else { throw missing(id) }
        return JSONReply.response(memory)
    }

    /// `DELETE /api/memories/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard try await store.delete(id) else { throw missing(id) }
        return JSONReply.response(DeletedResponse(id: id))
    }

    /// `GET /api/memories/:id/why`
    func why(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let history = try await store.history(id) else { throw missing(id) }
        return JSONReply.response(history)
    }

    /// `POST /api/memories/:id/undo`
    func undo(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let undone = try await store.undo(id) else { throw missing(id) }
        return JSONReply.response(undone)
    }

    /// `POST /api/memories/:id/confirm`
    func confirm(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let memory = try await store.confirm(id) else { throw missing(id) }
        return JSONReply.response(memory)
    }

    /// `POST /api/memories/touch`
    func touch(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let touched = try await JSONRequest.decode(TouchRequest.self, from: request, limit: bodyLimit, in: context)
        guard (1...NotesLimits.maxIDs).contains(touched.ids.count) else {
            throw GatewayError.field("ids", "must have 1 to \(NotesLimits.maxIDs) ids")
        }
        return JSONReply.response(TouchResponse(touched: try await store.touch(touched.ids)))
    }

    private func missing(_ id: Int64) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no memory \(id)")
    }
}
