import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The routes that read notes: all, one, search, recent, since a date, and the threads of notes.
struct NoteRoutes: Sendable {
    let store: any NoteBook
    let bodyLimit: Int

    /// `GET /api/notes`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in try await store.page(after: cursor, limit: limit) }
        return JSONReply.response(try NotesResponse(page).asked(request))
    }

    /// `GET /api/notes/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await note(context.rowID()))
    }

    /// `GET /api/notes/:id/links`
    func links(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let note = try await note(context.rowID())
        return JSONReply.response(
            try await context.scan { [store] in try await NoteLinkFinder(notes: store).links(of: note) })
    }

    /// `POST /api/notes/search`
    func search(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let search = try await JSONRequest.decode(
            NoteSearchRequest.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        let text = try FieldCheck.text(search.query, "query", maxBytes: NotesLimits.maxSearchBytes)
        let limit = try FieldCheck.limit(search.limit, default: 50, in: 1...NotesLimits.maxPage)
        let cursor = try FieldCheck.cursor(search.cursor)
        let page = try await context.scan { [store] in
            try await store.page(NoteSelection(text: text), after: cursor, limit: limit)
        }
        return JSONReply.response(NotesResponse(page, query: text))
    }

    /// `GET /api/notes/recent`
    func recent(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let days = try request.number("days", default: 7, in: 0...NotesLimits.maxDays)
        let limit = try request.wholeNumber("limit", default: 10, in: 1...NotesLimits.maxPage)
        let since = Int64(Date.now.timeIntervalSince1970 - days * 86_400)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in
            try await store.page(NoteSelection(since: since), after: cursor, limit: limit)
        }
        return JSONReply.response(try NotesResponse(page, days: days).asked(request))
    }

    /// `GET /api/notes/since/:date`
    func since(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let text = try context.pathText("date", maxBytes: 64)
        let since = try FieldCheck.date(text, "date")
        let limit = try request.wholeNumber("limit", default: 20, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in
            try await store.page(NoteSelection(since: since), after: cursor, limit: limit)
        }
        return JSONReply.response(try NotesResponse(page, since: text).asked(request))
    }

    /// `POST /api/notes/thread-assignments`
    func threadAssignments(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(
            ThreadAssignmentsRequest.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        guard wanted.noteIds.count <= NotesLimits.maxIDs else {
            throw GatewayError.field("noteIds", "has \(wanted.noteIds.count) ids; the limit is \(NotesLimits.maxIDs)")
        }
        return JSONReply.response(
            ThreadAssignmentsResponse(assignments: try await store.threadAssignments(of: wanted.noteIds)))
    }

    /// Loads a note with its revision.
    ///
    /// - Throws: ``GatewayError`` with 404 when it does not exist, ``StorageError``.
    func note(_ id: Int64) async throws -> Note {
        guard let note = try await store.find(ids: [id]).first else {
            throw GatewayError(.notFound, .notFound, "there is no note \(id)")
        }
        return note.withRevision
    }
}

extension NotesResponse {
    /// A page of the store as a reply.
    init(_ page: Page<Note>, since: String? = nil, days: Double? = nil, query: String? = nil) {
        self.init(notes: page.items, nextCursor: page.next?.text, since: since, days: days, query: query)
    }
}

extension NotesResponse {
    /// The reply with whole texts, or with snippets instead, as the parameter `content` says.
    func asked(_ request: Request) throws(GatewayError) -> NotesResponse {
        guard try !request.wantsContent else { return self }
        var reply = self
        reply.notes = notes.map(\.listed)
        return reply
    }
}

extension Request {
    /// Whether notes of a list come with their whole texts: unless the parameter `content` is false.
    var wantsContent: Bool {
        get throws(GatewayError) { try parameter("content") == nil ? true : flag("content") }
    }
}

extension Note {
    /// The note with its beginning in place of its text.
    var listed: Note {
        var note = self
        note.snippet = Snippet.line(of: content, title: title)
        note.content = ""
        return note
    }
}
