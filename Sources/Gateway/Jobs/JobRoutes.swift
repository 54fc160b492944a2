import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `POST /api/jobs/backfill`, `POST /api/briefing/associations/compute`, `GET /api/jobs`, and what is below
/// `/api/jobs/:id`.
struct JobRoutes: Sendable {
    /// Jobs of one list at most.
    static let maxLimit = 200

    let runner: JobRunner
    let bodyLimit: Int

    /// Adds the routes; all want the scope `notes:write`.
    func add(to router: GatewayRouter) {
        router.add(.post, "/api/jobs/backfill", .requireScope(.notesWrite), backfill)
        router.add(.post, "/api/briefing/associations/compute", .requireScope(.notesWrite), associations)
        router.add(.get, "/api/jobs", .requireScope(.notesWrite), list)
        router.add(.get, "/api/jobs/:id", .requireScope(.notesWrite), show)
        router.add(.delete, "/api/jobs/:id", .requireScope(.notesWrite), cancel)
        router.add(.post, "/api/jobs/:id/resume", .requireScope(.notesWrite), resume)
        router.add(.get, "/api/jobs/:id/events", .requireScope(.notesWrite), events)
    }

    /// 202 with the new job, or 200 with the one of its kind that runs.
    func backfill(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await decode(BackfillJobRequest(), from: request, in: context)
        if let model = body.model {
            guard !model.isEmpty, model.utf8.count <= 256 else {
                throw GatewayError.field("model", "must have 1 to 256 bytes")
            }
            try context.requireModel(model)
        }
        guard body.limit.map({ $0 >= 1 }) ?? true else { throw GatewayError.field("limit", "must be 1 or more") }
        guard body.at.map({ (1...100).contains($0) }) ?? true else {
            throw GatewayError.field("at", "must be from 1 to 100")
        }
        if let since = body.since, since.utf8.count != 10 || Timestamp.unixSeconds(since) == nil {
            throw GatewayError.field("since", "expected a day such as 2026-03-14")
        }
        return try await begin(.backfill, body)
    }

    /// The same for pairs of near notes.
    func associations(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await decode(AssociationsRequest(), from: request, in: context)
        guard body.minSimilarity.map({ (0...1).contains($0) }) ?? true else {
            throw GatewayError.field("minSimilarity", "must be from 0 to 1")
        }
        guard body.limit.map({ (1...100).contains($0) }) ?? true else {
            throw GatewayError.field("limit", "must be from 1 to 100")
        }
        return try await begin(.associations, body)
    }

    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = request.uri.queryParameters["limit"].map { Int($0) ?? 0 } ?? 50
        guard (1...Self.maxLimit).contains(limit) else {
            throw GatewayError.field("limit", "must be from 1 to \(Self.maxLimit)")
        }
        return JSONReply.response(JobList(jobs: try await runner.database.jobs(limit: limit).compactMap(Job.init)))
    }

    func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try reply(try await runner.database.job(try Self.id(context)))
    }

    func cancel(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try reply(try await runner.cancel(try Self.id(context)))
    }

    func resume(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try reply(try await runner.resume(try Self.id(context)), status: .accepted)
    }

    /// The job as server-sent events, until it ends.
    func events(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let job = try await runner.database.job(try Self.id(context))
        let seen = request.headers[.lastEventID].flatMap { Int64($0) }
        return try JobEvents(database: runner.database, id: job.id, seen: seen, client: context.client).response()
    }

    static func id(_ context: GatewayRequestContext) throws -> Int64 {
        guard let id = context.parameters.get("id", as: Int64.self) else {
            throw GatewayError.field("id", "must be a whole number")
        }
        return id
    }

    private func begin(_ kind: Job.Kind, _ parameters: some Encodable) async throws -> Response {
        let (job, isNew) = try await runner.begin(
            kind, String(decoding: try JSONReply.data(parameters), as: UTF8.self))
        return try reply(job, status: isNew ? .accepted : .ok)
    }

    private func reply(_ record: JobRecord, status: HTTPResponse.Status = .ok) throws -> Response {
        guard let job = Job(record) else {
            throw GatewayError(.notFound, .notFound, "job \(record.id) is of a kind that this gateway does not know")
        }
        var response = JSONReply.response(job, status: status)
        response.headers[.location] = "/api/jobs/\(job.id)"
        return response
    }

    /// The body; the default when there is none.
    private func decode<Value: Decodable>(
        _ fallback: Value, from request: Request, in context: GatewayRequestContext
    ) async throws -> Value {
        if request.headers[.contentLength] == "0" { return fallback }
        if request.headers[.contentLength] == nil, request.headers[.transferEncoding] == nil { return fallback }
        return try await JSONRequest.decode(Value.self, from: request, limit: bodyLimit, in: context)
    }
}

extension Job {
    /// A stored job under the names of the API; nil for a kind that this gateway does not know.
    init?(_ record: JobRecord) {
        guard let kind = Kind(rawValue: record.kind), let state = State(rawValue: record.state) else { return nil }
        self.init(
            id: record.id, kind: kind, state: state, done: record.done, total: record.total, failed: record.failed,
            message: record.message, revision: record.revision, createdAt: record.createdAt,
            startedAt: record.startedAt, finishedAt: record.finishedAt)
    }
}
