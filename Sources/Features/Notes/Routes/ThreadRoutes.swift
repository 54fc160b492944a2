import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

/// The routes for threads: lists active threads, finds one by id or name with its notes, and lists its tasks.
struct ThreadRoutes: Sendable {
    let database: GatewayDatabase

    /// `GET /api/threads`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 10, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [database] in try await database.activeThreads(after: cursor, limit: limit)
        }
        return JSONReply.response(
            ThreadsResponse(threads: page.items.map { ThreadFields($0) }, nextCursor: page.next?.text))
    }

    /// `GET /api/threads/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let thread = try await database.thread(id) else { throw missing("\(id)") }
        return try await reply(thread, request, context)
    }

    /// `GET /api/threads/search/:name`
    func search(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let name = try context.pathText("name", maxBytes: NotesLimits.maxWordBytes)
        let found = try await context.scan { [database] in try await database.thread(named: name) }
        guard let thread = found else { throw missing("like \"\(name)\"") }
        return try await reply(thread, request, context)
    }

    /// `GET /api/threads/:id/tasks`
    func tasks(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        guard try await database.thread(id) != nil else { throw missing("\(id)") }
        let page = try await database.tasks(of: id, after: cursor, limit: limit)
        let tasks = page.items.map {
            ThreadTask(
                id: $0.id, threadID: $0.thread, thingsTaskID: $0.thingsTaskID, title: $0.title,
                createdAt: $0.createdAt, completedAt: $0.completedAt)
        }
        return JSONReply.response(ThreadTasksResponse(threadId: id, tasks: tasks, nextCursor: page.next?.text))
    }

    private func reply(
        _ thread: StoredThread, _ request: Request, _ context: GatewayRequestContext
    ) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 20, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [database] in
            try await database.notePage(NoteSelection(thread: thread.id), after: cursor, limit: limit)
        }
        return JSONReply.response(
            ThreadWithNotes(
                thread: ThreadFields(thread), notes: page.items.map { NoteFields($0) }, nextCursor: page.next?.text))
    }

    private func missing(_ what: String) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no thread \(what)")
    }
}

extension ThreadFields {
    /// Converts a stored thread to the API's type.
    init(_ thread: StoredThread) {
        self.init(
            id: thread.id, name: thread.name, why: thread.why, summary: thread.summary, status: thread.status,
            noteCount: thread.noteCount, lastActivityAt: thread.lastActivityAt,
            emotionalCharge: thread.emotionalCharge, momentumScore: thread.momentumScore, createdAt: thread.createdAt,
            updatedAt: thread.updatedAt)
    }
}
