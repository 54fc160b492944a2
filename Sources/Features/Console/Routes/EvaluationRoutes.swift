import Evaluation
import EvaluationRoom
import GatewayAPI
import HTTPTypes
import Hummingbird
import Server
import Database

/// Stored reports of retrieval: `/api/admin/evaluations`.
struct EvaluationRoutes: Sendable {
    /// The maximum number of reports in a page.
    static let maxPage = 100
    /// The maximum number of gates in a request.
    static let maxGates = 50
    /// The largest body.
    static let bodyLimit = 65_536

    let service: EvaluationService

    /// `GET /api/admin/evaluations/collections`
    func collections(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await context.scan { [folder = service.folder] in folder.list() })
    }

    /// `GET /api/admin/evaluations`
    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = try request.wholeNumber("limit", default: 50, in: 1...Self.maxPage)
        let page = try await service.reports.page(after: try request.cursor(), limit: limit)
        return JSONReply.response(StoredEvaluationPage(evaluations: page.items, nextCursor: page.next?.text))
    }

    /// `GET /api/admin/evaluations/:id`
    func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        return JSONReply.response(try await context.scan { [reports = service.reports] in try await reports.find(id) })
    }

    /// `DELETE /api/admin/evaluations/:id`
    func delete(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        guard try await service.reports.delete(id) else {
            throw GatewayError(.notFound, .notFound, "there is no evaluation \(id)")
        }
        return JSONReply.response(DeletedResponse(id: id))
    }

    /// `GET /api/admin/evaluations/:id/compare/:other`: whether the other one is better than this one.
    func compare(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (first, second) = (try context.rowID(), try context.rowID("other"))
        let metric = try FieldCheck.parsed(
            request.parameter("metric"), "metric", as: "ndcg@K, map, mrr, mrr@K, recall@K or p@K"
        ) { Metric(rawValue: $0) }
        let modes = (before: try request.parameter("before"), after: try request.parameter("after"))
        let found = try await Self.translating {
            try await context.scan { [service] in
                try await service.compare(first, second, metric: metric, modes: modes)
            }
        }
        return JSONReply.response(found)
    }

    /// `POST /api/admin/evaluations/:id/gates`: whether a report holds conditions.
    func gates(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let id = try context.rowID()
        let body = try await JSONRequest.decode(EvaluationGates.self, from: request, limit: Self.bodyLimit, in: context)
        let gates = try FieldCheck.texts(body.gates, "gates", maxCount: Self.maxGates, maxBytes: 200) ?? []
        guard !gates.isEmpty else { throw GatewayError.field("gates", "must not be empty") }
        for (place, gate) in gates.enumerated() {
            do {
                _ = try Gate(parsing: gate)
            } catch let error as EvaluationError {
                throw GatewayError.field("gates[\(place)]", error.message)
            }
        }
        let failures = try await Self.translating {
            try await context.scan { [service] in try await service.failures(of: id, gates: gates) }
        }
        return JSONReply.response(EvaluationGateReport(failures: failures))
    }

    /// Answers 409 for evaluations that cannot be used so.
    private static func translating<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as EvaluationError {
            throw GatewayError(.conflict, .init(rawValue: "not_comparable"), error.message)
        }
    }
}
