import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

/// The routes for memories: facts learned from conversations.
struct MemoryRoutes: Sendable {
    let database: GatewayDatabase
    let bodyLimit: Int

    /// `GET /api/memories`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...NotesLimits.maxPage)
        let (embeddings, cursor) = (try request.flag("embeddings"), try request.cursor())
        let page = try await context.scan { [database] in
            try await database.memoryPage(embeddings: embeddings, after: cursor, limit: limit)
        }
        return JSONReply.response(
            MemoriesResponse(memories: page.items.map { MemoryFields($0) }, nextCursor: page.next?.text))
    }

    /// `POST /api/memories`
    func create(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let new = try await JSONRequest.decode(NewMemory.self, from: request, limit: bodyLimit, in: context)
        let draft = MemoryDraft(
            content: try FieldCheck.text(new.content, "content", maxBytes: NotesLimits.maxMemoryBytes),
            type: try FieldCheck.word(new.type, "type", of: StoredMemory.types),
            confidence: try FieldCheck.share(new.confidence, "confidence") ?? 1,
            sourceSession: try FieldCheck.text(
                new.sourceSessionID, "sourceSessionId", maxBytes: NotesLimits.maxSessionIDBytes),
            embedding: try new.embedding.map { try FieldCheck.vector($0, "embedding") })
        return JSONReply.response(MemoryFields(try await database.createMemory(draft)), status: .created)
    }

    /// `PUT /api/memories/:id`
    func update(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let update = try await JSONRequest.decode(MemoryUpdate.self, from: request, limit: bodyLimit, in: context)
        var change = MemoryChange()
        change.content = try FieldCheck.text(update.content, "content", maxBytes: NotesLimits.maxMemoryBytes)
        change.type = try update.type.map { try FieldCheck.word($0, "type", of: StoredMemory.types) }
        change.confidence = try FieldCheck.share(update.confidence, "confidence")
        change.embedding = ValueChange(try update.embedding.map { try FieldCheck.vector($0, "embedding") })
        guard change != MemoryChange() else {
            throw GatewayError(
                .badRequest, .invalidField, "expected one of \"content\", \"type\", \"confidence\" and \"embedding\"")
        }
        guard let memory = try await database.updateMemory(id, change) else { throw missing(id) }
        return JSONReply.response(MemoryFields(memory))
    }

    /// `DELETE /api/memories/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard try await database.deleteMemory(id) else { throw missing(id) }
        return JSONReply.response(DeletedResponse(id: id))
    }

    /// `POST /api/memories/touch`
    func touch(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let touched = try await JSONRequest.decode(TouchRequest.self, from: request, limit: bodyLimit, in: context)
        guard (1...NotesLimits.maxIDs).contains(touched.ids.count) else {
            throw GatewayError.field("ids", "must have 1 to \(NotesLimits.maxIDs) ids")
        }
        return JSONReply.response(TouchResponse(touched: try await database.touchMemories(touched.ids)))
    }

    private func missing(_ id: Int64) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no memory \(id)")
    }
}
