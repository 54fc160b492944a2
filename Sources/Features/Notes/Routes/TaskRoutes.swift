import GatewayAPI
import Goals
import HTTPTypes
import Hummingbird
import Server
import Storage
import TaskRoom

/// The routes for the tasks of all threads.
struct TaskRoutes: Sendable {
    let store: TaskRoom
    let bodyLimit: Int

    /// `GET /api/tasks`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let word = try request.word("state", of: TaskRoom.State.allCases.map(\.rawValue))
        let state = word.flatMap(TaskRoom.State.init) ?? .open
        let thread = try request.rowID("thread")
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in
            try await store.page(state, thread: thread, after: cursor, limit: limit)
        }
        return JSONReply.response(
            TaskList(tasks: page.items.map(\.withThingsLink), nextCursor: page.next?.text))
    }

    /// `PATCH /api/tasks/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        var update = try await JSONRequest.decode(TaskUpdate.self, from: request, limit: bodyLimit, in: context)
        guard update != TaskUpdate() else {
            throw GatewayError(.badRequest, .invalidField, "expected one of \"done\", \"title\" and \"due\"")
        }
        update.title = try update.title.map { try FieldCheck.text($0, "title", maxBytes: NotesLimits.maxTitleBytes) }
        update.due = try update.due.map { text in
            guard let day = LocalDay(parsing: text) else {
                throw GatewayError.field("due", "expected a day such as 2026-03-14")
            }
            return day.description
        }
        guard let task = try await store.change(id, update) else {
            throw GatewayError(.notFound, .notFound, "there is no task \(id)")
        }
        return JSONReply.response(task.withThingsLink)
    }
}
