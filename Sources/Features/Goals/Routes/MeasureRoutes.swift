import Database
import GatewayAPI
import GoalRoom
import HTTPTypes
import Hummingbird
import Server

/// `/api/measures`: the units that a person uses.
struct MeasureRoutes: Sendable {
    let service: GoalService
    let bodyLimit: Int

    /// `GET /api/measures`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (limit, cursor) = (try request.pageLimit(), try request.cursor())
        let page = try await service.store.measures.list(after: cursor, limit: limit)
        return JSONReply.response(MeasureList(measures: page.items, nextCursor: page.next?.text))
    }

    /// `POST /api/measures`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(MeasureBody.self, from: request, limit: bodyLimit, in: context)
        let added = try await service.add(body, context.writer(body.reason))
        var response = JSONReply.response(added.measure, status: added.isNew ? .created : .ok)
        response.headers[.location] = "/api/measures/\(added.measure.id)"
        return response
    }

    /// `GET /api/measures/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        if let moment = try request.moment() {
            return JSONReply.response(try await service.store.history.measure(id, at: moment))
        }
        return JSONReply.response(try await service.store.measures.find(id))
    }

    /// `PATCH /api/measures/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        let body = try await JSONRequest.decode(MeasureBody.self, from: request, limit: bodyLimit, in: context)
        return JSONReply.response(try await service.change(measure: id, body, context.writer(body.reason)))
    }

    /// `DELETE /api/measures/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await service.store.delete("measures", context.uuid(), context.writer())
        return Response(status: .noContent)
    }
}
