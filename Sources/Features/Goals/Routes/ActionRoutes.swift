import Access
import Database
import GatewayAPI
import GoalRoom
import HTTPTypes
import Hummingbird
import Server

/// `/api/actions`: what a person did.
struct ActionRoutes: Sendable {
    /// The longest utterance in bytes.
    private static let maxTextBytes = 4096

    let service: GoalService
    let proposals: GoalProposals
    let bodyLimit: Int

    /// `GET /api/actions`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var filter = ActionFilter()
        filter.text = try request.bounded("q", maxBytes: NotesLimits.maxSearchBytes)
        (filter.from, filter.to) = (try request.day("from"), try request.day("to"))
        filter.goal = try request.uuid("goal")
        let (limit, cursor) = (try request.pageLimit(), try request.cursor())
        let (page, matching) = try await context.scan { [filter] in
            let matching = try await service.matching()
            let page = try await service.store.actions.list(
                filter, after: cursor, limit: limit, withContributions: true)
            return (page, matching)
        }
        return JSONReply.response(
            ActionList(actions: page.items, nextCursor: page.next?.text, matching: matching))
    }

    /// `POST /api/actions`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(ActionBody.self, from: request, limit: bodyLimit, in: context)
        let added = try await service.add(body, context.writer(body.reason))
        var response = JSONReply.response(added.action, status: added.isNew ? .created : .ok)
        response.headers[.location] = "/api/actions/\(added.action.id)"
        return response
    }

    /// `POST /api/actions/parse`
    func parse(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var text = try await JSONRequest.decode(ActionText.self, from: request, limit: bodyLimit, in: context)
        text.text = try FieldCheck.text(text.text, "text", maxBytes: Self.maxTextBytes)
        text.turn = try FieldCheck.text(text.turn, "turn", maxBytes: 200)
        text.zone = try FieldCheck.text(text.zone, "zone", maxBytes: 64)
        // A client that leaves ends the call of a model.
        let work = Task { [text, actor = context.identity.name] in try await proposals.log(text, actor: actor) }
        context.client.onDeparture { work.cancel() }
        defer { context.client.stopWatching() }
        let proposal = try await withTaskCancellationHandler {
            try await work.value
        } onCancel: {
            work.cancel()
        }
        return JSONReply.response(proposal)
    }

    /// `GET /api/actions/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        if let moment = try request.moment() {
            return JSONReply.response(try await service.store.history.action(id, at: moment))
        }
        return JSONReply.response(try await service.store.actions.find(id))
    }

    /// `PATCH /api/actions/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        let body = try await JSONRequest.decode(ActionBody.self, from: request, limit: bodyLimit, in: context)
        return JSONReply.response(try await service.change(action: id, body, context.writer(body.reason)))
    }

    /// `DELETE /api/actions/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await service.store.delete("actions", context.uuid(), context.writer())
        return Response(status: .noContent)
    }
}
