import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage
import TaskRoom

/// The routes for threads: lists active threads, finds one by id or name with its notes, and lists its tasks.
struct ThreadRoutes: Sendable {
    let store: any ThreadBook
    let notes: any NoteBook
    let tasks: TaskRoom

    /// `GET /api/threads`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 10, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in try await store.active(after: cursor, limit: limit) }
        return JSONReply.response(ThreadsResponse(threads: page.items, nextCursor: page.next?.text))
    }

    /// `GET /api/threads/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let thread = try await store.find(id) else { throw missing("\(id)") }
        return try await reply(thread, request, context)
    }

    /// `GET /api/threads/search/:name`
    func search(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let name = try context.pathText("name", maxBytes: NotesLimits.maxWordBytes)
        let found = try await context.scan { [store] in try await store.find(named: name) }
        guard let thread = found else { throw missing("like \"\(name)\"") }
        return try await reply(thread, request, context)
    }

    /// `GET /api/threads/:id/tasks`
    func listTasks(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        guard try await store.find(id) != nil else { throw missing("\(id)") }
        let page = try await tasks.page(ofThread: id, after: cursor, limit: limit)
        return JSONReply.response(ThreadTasksResponse(threadId: id, tasks: page.items, nextCursor: page.next?.text))
    }

    private func reply(
        _ thread: ChatThread, _ request: Request, _ context: GatewayRequestContext
    ) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 20, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [notes] in
            try await notes.page(NoteSelection(thread: thread.id), after: cursor, limit: limit)
        }
        let notes = try request.wantsContent ? page.items : page.items.map(\.listed)
        return JSONReply.response(ThreadWithNotes(thread: thread, notes: notes, nextCursor: page.next?.text))
    }

    private func missing(_ what: String) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no thread \(what)")
    }
}
