import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Storage

/// The routes for the tasks of all threads.
struct TaskRoutes: Sendable {
    let store: TaskStore

    /// `GET /api/tasks`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let word = try request.word("state", of: TaskStore.State.allCases.map(\.rawValue))
        let state = word.flatMap(TaskStore.State.init) ?? .open
        let thread = try request.rowID("thread")
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [store] in
            try await store.page(state, thread: thread, after: cursor, limit: limit)
        }
        return JSONReply.response(
            TaskList(tasks: page.items.map(\.withThingsLink), nextCursor: page.next?.text))
    }
}
