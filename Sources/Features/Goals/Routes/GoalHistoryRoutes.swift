import Database
import GatewayAPI
import GoalRoom
import HTTPTypes
import Hummingbird
import NIOCore
import Server

/// The history, its undoing, reviews, import and export.
struct GoalHistoryRoutes: Sendable {
    let service: GoalService
    let reviews: GoalReviews
    let bodyLimit: Int

    /// `GET /api/goals/history`
    func history(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var filter = GoalHistoryFilter()
        filter.resource = try request.word("table", of: ["goals", "actions", "values", "terms", "measures"])
        filter.id = try request.uuid("id")
        filter.turn = try request.bounded("turn", maxBytes: 200)
        let (limit, cursor) = (try request.pageLimit(), try request.cursor())
        let page = try await context.scan { [filter] in
            try await service.store.history.list(filter, after: cursor, limit: limit)
        }
        return JSONReply.response(GoalChangeList(changes: page.items, nextCursor: page.next?.text))
    }

    /// `POST /api/goals/undo`
    func undo(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var wanted = try await JSONRequest.decode(GoalUndo.self, from: request, limit: bodyLimit, in: context)
        wanted.turn = try FieldCheck.text(wanted.turn, "turn", maxBytes: 200)
        return JSONReply.response(try await service.undo(wanted, context.writer()))
    }

    /// `POST /api/goals/reviews`
    func review(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(GoalReviewRequest.self, from: request, limit: bodyLimit, in: context)
        return JSONReply.response(try await context.scan { try await reviews.review(wanted) })
    }

    /// `POST /api/goals/rebuild`
    func rebuild(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let rebuilt = try await context.scan { try await service.store.matches.rebuild() }
        return JSONReply.response(GoalRebuilt(contributions: rebuilt.contributions, changed: rebuilt.changed))
    }

    /// `GET /api/goals/export`
    func export(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let isCSV = try request.word("format", of: ["jsonl", "csv"]) == "csv"
        let export = try await context.scan { try await service.export(asCSV: isCSV) }
        return Response(
            status: .ok,
            headers: [
                .contentType: isCSV ? "text/csv; charset=utf-8" : "application/x-ndjson",
                .contentDisposition: "attachment; filename=\"goals.\(isCSV ? "csv" : "jsonl")\"",
            ],
            body: ResponseBody { writer in
                for part in export { try await writer.write(ByteBuffer(string: part)) }
                try await writer.finish(nil)
            })
    }

    /// `POST /api/goals/import`
    func importAll(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        var bytes: [UInt8] = []
        for try await chunk in request.body {
            guard chunk.readableBytes <= GoalService.maxImport - bytes.count else {
                throw GatewayError(
                    .contentTooLarge, .tooLarge, "the body is larger than \(GoalService.maxImport) bytes",
                    headers: [.connection: "close"])
            }
            try context.body?.grow(by: chunk.readableBytes)
            bytes.append(contentsOf: chunk.readableBytesView)
        }
        let (body, writer) = (bytes, try context.writer())
        // An import may take minutes: it holds no place of reads, and only one runs at a time.
        return JSONReply.response(
            try await context.client.whilePresent { try await service.importAll(body, writer) })
    }
}
