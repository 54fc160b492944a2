import AuditRoom
import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server

/// `GET /api/audit`: who changed what. No route changes or deletes entries.
struct AuditRoutes: Sendable {
    /// The maximum number of entries in a page.
    static let maxPage = 500

    let audit: AuditRoom

    /// Lists entries, the latest first.
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let cursor = try request.cursor()
        let filter = AuditFilter(
            action: try request.word("action", of: AuditAction.allCases.map(\.rawValue)).flatMap {
                AuditAction(rawValue: $0)
            }, keyID: try request.rowID("key"),
            since: try FieldCheck.date(request.parameter("since"), "since").map { $0 &* 1000 })
        let page = try await context.scan { [audit] in try await audit.page(filter, after: cursor, limit: limit) }
        return JSONReply.response(
            AuditPage(entries: page.items, nextCursor: page.next?.text, kept: AuditRoom.maxEntries))
    }
}
