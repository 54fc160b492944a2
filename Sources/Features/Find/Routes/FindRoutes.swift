import Access
import Finding
import GatewayAPI
import HTTPTypes
import Hummingbird
package import Server

/// `GET /api/find`: one search over notes, books, chats, memories, threads and goals.
package struct FindRoutes: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let service: FindService

    package init(service: FindService) { self.service = service }

    /// Adds the route. Every kind needs the scope `notes:read`, as its own search does. The router must require keys already.
    package func add(to router: GatewayRouter) {
        router.add(.get, "/api/find", .requireScope(.notesRead), find)
    }

    @Sendable private func find(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        guard let text = try request.parameter("q"), !text.isEmpty else { throw GatewayError.field("q", "is required") }
        let query = try FieldCheck.text(text, "q", maxBytes: FindQuestion.maxBytes) as String
        let kinds = try Self.kinds(request.parameter("kinds"))
        let limit = try request.wholeNumber("limit", default: 20, in: 1...FindService.maxLimit)
        let (cursor, account) = (try request.cursor(), context.account)
        context.trace.enter(.waiting)
        do {
            let reply = try await context.client.whilePresent { [service] in
                try await service.find(query, kinds: kinds, after: cursor, limit: limit, account: account)
            }
            return JSONReply.response(reply)
        } catch is InvalidFindCursor {
            throw GatewayError.field("cursor", "not a cursor of this search; leave it out to begin anew")
        }
    }

    /// The kinds of a list such as `notes,chats`; nil for all.
    private static func kinds(_ text: String?) throws(GatewayError) -> Set<FindKind>? {
        guard let text, !text.isEmpty else { return nil }
        var kinds: Set<FindKind> = []
        for name in text.split(separator: ",") {
            guard let kind = FindKind(rawValue: String(name)) else {
                let known = FindKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .field("kinds", "\"\(name)\" is none of \(known)")
            }
            kinds.insert(kind)
        }
        return kinds
    }
}
