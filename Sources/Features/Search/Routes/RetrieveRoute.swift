import Access
import GatewayAPI
import Hummingbird
import Server

/// `POST /api/notes/retrieve`: returns the best notes for a query.
struct RetrieveRoute: Sendable {
    /// The stages in metrics and replies, in their order.
    private static let stages = [
        "refresh", "embed", "filter", "vector", "keyword", "fusion", "load", "rerank", "total",
    ]

    let search: NoteSearch
    let metrics: GatewayMetrics
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(
            RetrieveRequest.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        var query = try SearchQuery(wanted, defaultFusion: search.defaultFusion)
        query.account = context.account
        context.trace.enter(.waiting)
        let response = try await context.client.whilePresent { [search, query] in try await search.retrieve(query) }
        for stage in Self.stages {
            guard let milliseconds = response.timingsMilliseconds[stage] else { continue }
            metrics.stages[stage].record(.milliseconds(milliseconds))
            if stage != "total" { context.trace.stage(stage, .milliseconds(milliseconds)) }
        }
        metrics.retrievals[response.source].add()
        return JSONReply.response(response)
    }
}
