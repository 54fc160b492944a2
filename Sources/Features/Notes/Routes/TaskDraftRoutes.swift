import GatewayAPI
import Goals
import HTTPTypes
import Hummingbird
import NIOCore
import Server
import Storage
import TaskRoom

/// The routes for drafts of tasks, new tasks, and tasks in a calendar.
struct TaskDraftRoutes: Sendable {
    let drafts: TaskDraftRoom
    let tasks: TaskRoom
    let messages: any ConversationMessages
    let actions: ActionsService
    let bodyLimit: Int

    /// `POST /api/tasks/drafts`
    func draft(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let new = try await JSONRequest.decode(NewTaskDrafts.self, from: request, limit: bodyLimit, in: context)
        let own = try FieldCheck.text(new.text, "text", maxBytes: 4096)
        guard (new.message == nil) != (own == nil) else {
            throw GatewayError(.badRequest, .invalidField, "expected one of \"message\" and \"text\"")
        }
        var message: Message?
        if let id = new.message {
            guard let found = try await messages.find(id) else {
                throw GatewayError(.notFound, .notFound, "there is no message \(id)")
            }
            message = found
        }
        let text = own ?? message?.content ?? ""
        let end = text.utf8.count
        let bounds = new.range ?? [0, end]
        guard bounds.count == 2, bounds[0] >= 0, bounds[0] < bounds[1], bounds[1] <= end else {
            throw GatewayError.field("range", "expected two bytes from 0 to \(end), the first one lower")
        }
        let made = try await actions.drafts(of: text, in: message, range: bounds[0]..<bounds[1], thread: new.thread)
        return JSONReply.response(TaskDraftList(drafts: made.map(\.withThingsLink)), status: .created)
    }

    /// `GET /api/tasks/drafts`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 100, in: 1...NotesLimits.maxPage)
        let cursor = try request.cursor()
        let page = try await context.scan { [drafts, actions] in
            // What cannot be kept now is found by the daily job.
            if cursor == nil { try? await actions.catchUp() }
            return try await drafts.page(after: cursor, limit: limit)
        }
        return JSONReply.response(
            TaskDraftList(drafts: page.items.map(\.withThingsLink), nextCursor: page.next?.text))
    }

    /// `PATCH /api/tasks/drafts/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let update = try await update(request, context)
        guard update != TaskDraftUpdate() else {
            throw GatewayError(.badRequest, .invalidField, "expected one of \"title\", \"due\" and \"thread\"")
        }
        guard let draft = try await drafts.change(id, update) else { throw missing(id) }
        return JSONReply.response(draft.withThingsLink)
    }

    /// `POST /api/tasks/drafts/:id/confirm`
    func confirm(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let isEmpty =
            request.headers[.contentLength] == "0"
            || request.headers[.contentLength] == nil && request.headers[.transferEncoding] == nil
        let update = isEmpty ? TaskDraftUpdate() : try await update(request, context)
        guard let (task, isNew) = try await drafts.confirm(id, update) else { throw missing(id) }
        return JSONReply.response(task.withThingsLink, status: isNew ? .created : .ok)
    }

    /// `POST /api/tasks/drafts/:id/done`
    func tick(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard let draft = try await actions.tick(id) else { throw missing(id) }
        return JSONReply.response(draft.withThingsLink)
    }

    /// `DELETE /api/tasks/drafts/:id`
    func decline(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard try await drafts.decline(id) else { throw missing(id) }
        return JSONReply.response(DeletedResponse(id: id))
    }

    /// `POST /api/tasks`
    func create(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var new = try await JSONRequest.decode(NewTask.self, from: request, limit: bodyLimit, in: context)
        new.title = try FieldCheck.text(new.title, "title", maxBytes: NotesLimits.maxTitleBytes)
        new.due = try new.due.map(Self.day)
        return JSONReply.response(try await tasks.create(new).withThingsLink, status: .created)
    }

    /// `GET /api/tasks.ics`
    func calendar(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let state = try request.word("state", of: ["open", "all"]).flatMap(TaskRoom.State.init) ?? .open
        let text = try await context.scan { [tasks] in try await TaskCalendar(store: tasks).text(state) }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/calendar; charset=utf-8", .cacheControl: "private, no-cache",
                .contentDisposition: "inline; filename=\"selene-tasks.ics\"",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func update(_ request: Request, _ context: GatewayRequestContext) async throws -> TaskDraftUpdate {
        var update = try await JSONRequest.decode(TaskDraftUpdate.self, from: request, limit: bodyLimit, in: context)
        update.title = try FieldCheck.text(update.title, "title", maxBytes: NotesLimits.maxTitleBytes)
        update.due = try update.due.map(Self.day)
        return update
    }

    private static func day(_ text: String) throws(GatewayError) -> String {
        guard let day = LocalDay(parsing: text) else {
            throw GatewayError.field("due", "expected a day such as 2026-03-14")
        }
        return day.description
    }

    private func missing(_ id: Int64) -> GatewayError {
        GatewayError(.notFound, .notFound, "there is no draft \(id)")
    }
}
