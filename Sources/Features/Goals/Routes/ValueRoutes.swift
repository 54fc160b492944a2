import Database
import GatewayAPI
import GoalRoom
import HTTPTypes
import Hummingbird
import Server

/// `/api/values`: what matters to a person.
struct ValueRoutes: Sendable {
    let service: GoalService
    let bodyLimit: Int

    /// `GET /api/values`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (limit, cursor) = (try request.pageLimit(), try request.cursor())
        let text = try request.bounded("q", maxBytes: NotesLimits.maxSearchBytes)
        let page = try await context.scan {
            try await service.store.values.list(containing: text, after: cursor, limit: limit)
        }
        return JSONReply.response(ValueList(values: page.items, nextCursor: page.next?.text))
    }

    /// `POST /api/values`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(ValueBody.self, from: request, limit: bodyLimit, in: context)
        let added = try await service.add(body, context.writer(body.reason))
        var response = JSONReply.response(added.value, status: added.isNew ? .created : .ok)
        response.headers[.location] = "/api/values/\(added.value.id)"
        return response
    }

    /// `GET /api/values/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        if let moment = try request.moment() {
            return JSONReply.response(try await service.store.history.value(id, at: moment))
        }
        return JSONReply.response(try await service.store.values.find(id))
    }

    /// `PATCH /api/values/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        let body = try await JSONRequest.decode(ValueBody.self, from: request, limit: bodyLimit, in: context)
        return JSONReply.response(try await service.change(value: id, body, context.writer(body.reason)))
    }

    /// `DELETE /api/values/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await service.store.delete("values", context.uuid(), context.writer())
        return Response(status: .noContent)
    }
}
