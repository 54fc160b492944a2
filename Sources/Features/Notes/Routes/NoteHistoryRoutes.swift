import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

/// The routes of what notes were: earlier versions, deleted notes, and how both come back or are erased.
struct NoteHistoryRoutes: Sendable {
    let notes: any NoteBook
    let history: any NoteHistory
    let bodyLimit: Int

    /// `GET /api/notes/deleted`
    func deleted(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [history] in try await history.deletedNotes(after: cursor, limit: limit) }
        return JSONReply.response(DeletedNotesResponse(notes: page.items, nextCursor: page.next?.text))
    }

    /// `GET /api/notes/:id/history`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let versions = try await history.versions(of: id)
        let isThere = try await !notes.find(ids: [id]).isEmpty
        guard isThere || !versions.isEmpty else { throw missing(id) }
        return JSONReply.response(NoteHistoryResponse(noteId: id, deleted: !isThere, versions: versions))
    }

    /// `GET /api/notes/:id/history/:version`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (id, number) = (try context.rowID(), try context.rowID("version"))
        guard let version = try await history.version(number, of: id) else {
            throw GatewayError(.notFound, .notFound, "note \(id) has no version \(number)")
        }
        return JSONReply.response(version)
    }

    /// `POST /api/notes/:id/restore`
    func restore(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let body = try await JSONRequest.decode(NoteRestore.self, from: request, limit: bodyLimit, in: context)
        let revision = try FieldCheck.text(body.revision, "revision", maxBytes: NotesLimits.maxWordBytes)
        guard try await history.restore(id, version: body.version, revision: revision) else {
            throw body.version.map { GatewayError(.notFound, .notFound, "note \(id) has no version \($0)") }
                ?? GatewayError(.notFound, .notFound, "there is no deleted note \(id)")
        }
        guard let note = try await notes.find(ids: [id]).first else { throw missing(id) }
        return JSONReply.response(note.withRevision)
    }

    /// `DELETE /api/notes/:id/history`
    func erase(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let count = try await history.eraseHistory(of: id)
        if count == 0 {
            guard try await !notes.find(ids: [id]).isEmpty else { throw missing(id) }
        }
        return JSONReply.response(ErasedHistoryResponse(id: id, versions: count))
    }

    private func missing(_ id: Int64) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no note \(id), neither stored nor deleted")
    }
}
