import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

/// Notes that could not be embedded, one by one: `/api/admin/failed-notes`.
struct FailedNoteRoutes: Sendable {
    /// The maximum number of notes in a page.
    static let maxPage = 200

    let embeddings: any EmbeddingAdministration

    /// `GET /api/admin/failed-notes`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let (space, cursor) = (try request.rowID("space"), try request.cursor())
        let reply = try await context.scan { [embeddings] in
            let page = try await embeddings.failed(in: space, after: cursor, limit: limit)
            let titles = try await embeddings.titles(of: page.items.map(\.letter.noteID))
            let models = Dictionary(
                try await embeddings.spaces().map { ($0.stored.id, $0.stored.space.model) }
            ) { first, _ in first }
            return FailedNotePage(
                notes: page.items.map { failed in
                    FailedNote(
                        space: failed.space, model: models[failed.space] ?? "", note: failed.letter.noteID,
                        title: titles[failed.letter.noteID], reason: failed.letter.reason,
                        attempts: failed.letter.attempts)
                }, nextCursor: page.next?.text)
        }
        return JSONReply.response(reply)
    }

    /// `POST /api/admin/failed-notes/:space/:note/retry`
    func retry(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (space, note) = (try context.rowID("space"), try context.rowID("note"))
        context.audits("note", id: note, detail: "space \(space)")
        guard try await embeddings.retryFailed(note, in: space) else { throw Self.missing(note, space) }
        return JSONReply.response(FailedNoteChange(space: space, note: note, state: "queued"))
    }

    /// `DELETE /api/admin/failed-notes/:space/:note`
    func discard(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (space, note) = (try context.rowID("space"), try context.rowID("note"))
        context.audits("note", id: note, detail: "space \(space)")
        guard try await embeddings.discardFailed(note, in: space) else { throw Self.missing(note, space) }
        return JSONReply.response(FailedNoteChange(space: space, note: note, state: "discarded"))
    }

    private static func missing(_ note: Int64, _ space: Int64) -> GatewayError {
        GatewayError(.notFound, .notFound, "note \(note) is not a failed one of space \(space)")
    }
}
