import Database
import GatewayAPI
import GoalRoom
import HTTPTypes
import Hummingbird
import Server

/// `/api/goals`: goals, milestones and obligations.
struct GoalRoutes: Sendable {
    let service: GoalService
    let bodyLimit: Int

    /// `GET /api/goals`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var filter = GoalFilter()
        filter.text = try request.bounded("q", maxBytes: NotesLimits.maxSearchBytes)
        filter.kind = try request.word("kind", of: ["goal", "smart", "milestone", "obligation"])
        filter.on = try request.day("on")
        filter.term = try request.uuid("term")
        filter.value = try request.uuid("value")
        let (limit, cursor) = (try request.pageLimit(), try request.cursor())
        let withProgress = try request.flag("progress")
        let (page, matching) = try await context.scan { [filter] in
            let matching = try await service.matching()
            return (
                try await service.goals(filter, withProgress: withProgress, after: cursor, limit: limit), matching
            )
        }
        return JSONReply.response(GoalList(goals: page.items, nextCursor: page.next?.text, matching: matching))
    }

    /// `POST /api/goals`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(GoalBody.self, from: request, limit: bodyLimit, in: context)
        let added = try await service.add(body, context.writer(body.reason))
        var response = JSONReply.response(added.goal, status: added.isNew ? .created : .ok)
        response.headers[.location] = "/api/goals/\(added.goal.id)"
        return response
    }

    /// `GET /api/goals/today`
    func today(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let zone = try request.bounded("zone", maxBytes: 64)
        return JSONReply.response(try await context.scan { try await service.today(zone: zone) })
    }

    /// `GET /api/goals/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        if let moment = try request.moment() {
            let goal = try await service.store.history.goal(id, at: moment)
            return JSONReply.response(goal.presented(on: service.today()))
        }
        return JSONReply.response(try await context.scan { try await service.goal(id) })
    }

    /// `PATCH /api/goals/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        let body = try await JSONRequest.decode(GoalBody.self, from: request, limit: bodyLimit, in: context)
        return JSONReply.response(try await service.change(goal: id, body, context.writer(body.reason)))
    }

    /// `DELETE /api/goals/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await service.store.delete("goals", context.uuid(), context.writer())
        return Response(status: .noContent)
    }

    /// `GET /api/goals/:id/progress`
    func progress(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        let (day, zone) = (try request.day("day"), try request.bounded("zone", maxBytes: 64))
        return JSONReply.response(
            try await context.scan { try await service.progress(of: id, on: day, zone: zone) })
    }

    /// `PUT /api/goals/:id/skips/:day`
    func skip(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(
            try await service.skip(context.day(), of: context.uuid(), isSkipped: true, context.writer()))
    }

    /// `DELETE /api/goals/:id/skips/:day`
    func unskip(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(
            try await service.skip(context.day(), of: context.uuid(), isSkipped: false, context.writer()))
    }
}
