import Database
import GatewayAPI
import GoalRoom
import HTTPTypes
import Hummingbird
import Server

/// `/api/terms`: the terms of a person.
struct TermRoutes: Sendable {
    let service: GoalService
    let bodyLimit: Int

    /// `GET /api/terms`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (limit, cursor) = (try request.pageLimit(), try request.cursor())
        let day = try request.day("on")
        let page = try await context.scan { try await service.terms(on: day, after: cursor, limit: limit) }
        return JSONReply.response(TermList(terms: page.items, nextCursor: page.next?.text))
    }

    /// `POST /api/terms`
    func add(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(TermBody.self, from: request, limit: bodyLimit, in: context)
        let added = try await service.add(body, context.writer(body.reason))
        var response = JSONReply.response(added.term, status: added.isNew ? .created : .ok)
        response.headers[.location] = "/api/terms/\(added.term.id)"
        return response
    }

    /// `GET /api/terms/:id`
    func one(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        if let moment = try request.moment() {
            return JSONReply.response(service.present(try await service.store.history.term(id, at: moment)))
        }
        return JSONReply.response(try await service.term(id))
    }

    /// `PATCH /api/terms/:id`
    func change(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.uuid()
        let body = try await JSONRequest.decode(TermBody.self, from: request, limit: bodyLimit, in: context)
        return JSONReply.response(try await service.change(term: id, body, context.writer(body.reason)))
    }

    /// `DELETE /api/terms/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await service.store.delete("terms", context.uuid(), context.writer())
        return Response(status: .noContent)
    }
}
