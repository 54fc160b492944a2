import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The embedding spaces and the index: `/api/admin/spaces`, `/api/admin/index`.
struct SpaceRoutes: Sendable {
    let retrieval: RetrievalService
    let bodyLimit: Int

    private var embeddings: any EmbeddingAdministration { retrieval.store.embeddings }

    /// `GET /api/admin/spaces`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await reply(context)
    }

    /// `POST /api/admin/spaces/:id/switch`: makes a space active, for all servers on the database.
    func activate(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let body = try await JSONRequest.decodeIfPresent(
            SpaceSwitchRequest.self, from: request, limit: bodyLimit, in: context)
        let percent = body?.at ?? 100
        guard (0...100).contains(percent) else { throw GatewayError.field("at", "must be from 0 to 100") }
        switch try await embeddings.switch(to: id, atLeast: percent / 100, isThorough: false) {
        case .switched, .active, .leftBefore: return try await reply(context)
        case .incomplete(let missing, let notes):
            throw GatewayError(
                .conflict, .init(rawValue: "space_incomplete"),
                "space \(id) lacks \(missing) of \(notes) notes; embed them first, or lower \"at\"")
        }
    }

    /// `POST /api/admin/spaces/rollback`: makes the previous space active again.
    func rollBack(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        _ = try await embeddings.rollBack()
        return try await reply(context)
    }

    /// `DELETE /api/admin/spaces/:id`: removes a space with its vectors and its index file.
    func drop(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        try await embeddings.drop(id)
        // The index file is derived from the vectors that were just removed.
        if let path = retrieval.index.follower.files?.path(ofSpace: id) {
            try? FileManager.default.removeItem(atPath: path)
        }
        return try await reply(context)
    }

    /// `GET /api/admin/index`: what the index holds and how it searches.
    func index(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await retrieval.indexStatus())
    }

    private func reply(_ context: GatewayRequestContext) async throws -> Response {
        let list = try await context.scan { [embeddings] in
            let notes = try await embeddings.noteCount()
            return SpaceList(spaces: try await embeddings.spaces().map { SpaceState($0, notes: notes) })
        }
        return JSONReply.response(list)
    }
}

extension SpaceState {
    /// The wire form of a space.
    fileprivate init(_ status: SpaceStatus, notes: Int) {
        let space = status.stored.space
        self.init(
            id: status.stored.id, model: space.model, digest: space.digest, dimensions: space.dimensions,
            passages: space.chunkerVersion > 0, active: status.isActive, previous: status.isPrevious,
            filled: status.isFilled, embedded: status.embedded, notes: notes,
            waiting: status.queue.waiting + status.queue.leased, failed: status.queue.failed,
            createdAt: status.createdAt, activatedAt: status.activatedAt)
    }
}
