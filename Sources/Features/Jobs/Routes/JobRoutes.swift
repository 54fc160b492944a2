import Access
import GatewayAPI
import HTTPTypes
package import Hummingbird
import JobRoom
import NIOCore
package import Server
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The routes that begin jobs, `GET /api/jobs`, and the routes below `/api/jobs/:id`.
package struct JobRoutes: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    /// The maximum number of jobs in a list.
    static let maxLimit = 200

    let runner: JobRunner
    /// The minimum share of embedded notes, 0 to 1, before a job may switch the active space.
    package let switchShare: Double
    let bodyLimit: Int
    private let readers = EventReaders(of: "job events", limit: 64, limitOfKey: 8)

    package init(runner: JobRunner, switchShare: Double, bodyLimit: Int) {
        self.runner = runner
        self.switchShare = switchShare
        self.bodyLimit = bodyLimit
    }

    /// Adds the routes. All need the scope `notes:write`; a backfill with `model`, `at` or `limit` also needs `admin`.
    package func add(to router: GatewayRouter) {
        router.add(
            .post, "/api/jobs/backfill", .requireScope(.notesWrite, spendsTokens: true), audit: .jobStart,
            backfill)
        router.add(
            .post, "/api/briefing/associations/compute", .requireScope(.notesWrite), audit: .jobStart,
            associations)
        router.add(.post, "/api/jobs/briefing", .requireScope(.notesWrite), audit: .jobStart, briefing)
        router.add(.post, "/api/jobs/threads", .requireScope(.notesWrite), audit: .jobStart, threads)
        router.add(.post, "/api/jobs/actions", .requireScope(.notesWrite), audit: .jobStart, actions)
        router.add(
            .post, "/api/jobs/memories", .requireScope(.notesWrite, spendsTokens: true), takesFields: false,
            audit: .jobStart, memories)
        router.add(.post, "/api/jobs/tune", .requireScope(.admin), audit: .jobStart, tune)
        router.add(
            .post, "/api/jobs/evaluation", .requireScope(.admin, spendsTokens: true), audit: .jobStart,
            evaluation)
        router.add(.get, "/api/jobs", .requireScope(.notesWrite), list)
        router.add(.get, "/api/jobs/:id", .requireScope(.notesWrite), show)
        router.add(.delete, "/api/jobs/:id", .requireScope(.notesWrite), audit: .jobCancel, cancel)
        router.add(
            .post, "/api/jobs/:id/resume", .requireScope(.notesWrite, spendsTokens: true), takesFields: false,
            audit: .jobResume, resume)
        router.add(.get, "/api/jobs/:id/events", .requireScope(.notesWrite), events)
    }

    /// Starts a backfill: 202 with the new job, or 200 with the running one.
    package func backfill(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await decode(BackfillJobRequest(), from: request, in: context)
        if let model = body.model {
            guard !model.isEmpty, model.utf8.count <= 256 else {
                throw GatewayError.field("model", "must have 1 to 256 bytes")
            }
            _ = try FieldCheck.text(model, "model", maxBytes: 256) as String
        }
        try Self.authorize(body, context)
        guard body.limit.map({ $0 >= 1 }) ?? true else { throw GatewayError.field("limit", "must be 1 or more") }
        let least = max(1, switchShare * 100)
        guard body.at.map({ (least...100).contains($0) }) ?? true else {
            throw GatewayError.field(
                "at", "must be from \(Int(least.rounded())) (SELENE_SWITCH_SHARE) to 100")
        }
        if let since = body.since, since.utf8.count != 10 || Timestamp.unixSeconds(since) == nil {
            throw GatewayError.field("since", "expected a day such as 2026-03-14")
        }
        return try await begin(.backfill, body, context)
    }

    /// Checks that the key may choose the model, switch the space or limit the run.
    private static func authorize(_ job: BackfillJobRequest, _ context: GatewayRequestContext) throws {
        if job.model != nil || job.at != nil || job.limit != nil { try context.requireScope(.admin) }
        if let model = job.model { try context.requireModel(model) }
    }

    /// Starts a search for pairs of similar notes: 202 with the new job, or 200 with the running one.
    package func associations(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await decode(AssociationsRequest(), from: request, in: context)
        guard body.minSimilarity.map({ (0...1).contains($0) }) ?? true else {
            throw GatewayError.field("minSimilarity", "must be from 0 to 1")
        }
        guard body.limit.map({ (1...100).contains($0) }) ?? true else {
            throw GatewayError.field("limit", "must be from 1 to 100")
        }
        return try await begin(.associations, body, context)
    }

    /// Starts the making of today's briefing: 202 with the new job, or 200 with the running one.
    func briefing(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await begin(.briefing, try await decode(BriefingJobRequest(), from: request, in: context), context)
    }

    /// Starts the grouping of notes and the search for threads: 202 with the new job, or 200 with the running one.
    func threads(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await begin(.threads, try await decode(ThreadsJobRequest(), from: request, in: context), context)
    }

    /// Starts the search for tasks in notes: 202 with the new job, or 200 with the running one.
    func actions(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await decode(ActionsJobRequest(), from: request, in: context)
        guard body.days.map({ (1...36_500).contains($0) }) ?? true else {
            throw GatewayError.field("days", "must be from 1 to 36500")
        }
        return try await begin(.actions, body, context)
    }

    /// Starts to measure first passes of the index: 202 with the new job, or 200 with the running one.
    func tune(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await decode(TuneJobRequest(), from: request, in: context)
        guard body.sample.map({ TuneJobRequest.samples.contains($0) }) ?? true else {
            throw GatewayError.field("sample", "must be from 10 to 10000")
        }
        return try await begin(.tune, body, context)
    }

    /// Starts to measure retrieval on a collection: 202 with the new job, or 200 with the running one.
    func evaluation(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(
            EvaluationJobRequest.self, from: request, limit: bodyLimit, in: context)
        _ = try FieldCheck.text(body.collection, "collection", maxBytes: 255) as String
        _ = try FieldCheck.text(body.name, "name", maxBytes: 200)
        guard body.modes.map({ $0.count <= 3 }) ?? true else { throw GatewayError.field("modes", "expected 3 at most") }
        for mode in body.modes ?? [] { _ = try FieldCheck.word(mode, "modes", of: ["vector", "keyword", "hybrid"]) }
        if let scorer = body.scorer { _ = try FieldCheck.word(scorer, "scorer", of: ["like", "bm25", "both"]) }
        _ = try FieldCheck.text(body.fusion, "fusion", maxBytes: 64)
        guard body.metrics.map({ (1...20).contains($0.count) && $0.allSatisfy { $0.utf8.count <= 32 } }) ?? true else {
            throw GatewayError.field("metrics", "expected 1 to 20 measures such as ndcg@10")
        }
        for metric in body.metrics ?? [] { _ = try FieldCheck.text(metric, "metrics", maxBytes: 32) as String }
        guard body.depth.map({ EvaluationJobRequest.depths.contains($0) }) ?? true else {
            throw GatewayError.field("depth", "must be from 1 to 1000")
        }
        return try await begin(.evaluation, body, context)
    }

    /// Starts to read chats for memories: 202 with the new job, or 200 with the running one.
    func memories(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try await begin(.memories, MemoriesJobRequest(), context)
    }

    /// The latest jobs as a topic of the console.
    package var topic: LiveTopic {
        LiveTopic("jobs", .notesWrite) { [jobs = runner.jobs] in
            JobList(jobs: try await jobs.list(limit: 100).map(\.job))
        }
    }

    func list(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let limit = request.queryField("limit").map { Int($0) ?? 0 } ?? 50
        guard (1...Self.maxLimit).contains(limit) else {
            throw GatewayError.field("limit", "must be from 1 to \(Self.maxLimit)")
        }
        return JSONReply.response(JobList(jobs: try await runner.jobs.list(limit: limit).map(\.job)))
    }

    func show(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        try reply(try await runner.jobs.find(try Self.id(context)))
    }

    package func cancel(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let stored = try await runner.cancel(try Self.id(context))
        context.audits(stored.job.kind.rawValue, id: stored.id)
        return try reply(stored)
    }

    func resume(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let stored = try await runner.jobs.find(try Self.id(context))
        context.audits(stored.job.kind.rawValue, id: stored.id)
        // Only an administrator may resume a job that is charged to another key.
        if stored.keyID != context.identity.keyID { try context.requireScope(.admin) }
        if [.tune, .evaluation].contains(stored.job.kind) { try context.requireScope(.admin) }
        if stored.job.kind == .backfill {
            try Self.authorize(try stored.decodedParameters(as: BackfillJobRequest.self), context)
        }
        return try reply(try await runner.resume(stored.id), status: .accepted)
    }

    /// Streams the job as server-sent events until it ends.
    func events(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let job = try await runner.jobs.find(try Self.id(context))
        let seen = request.headers[.lastEventID].flatMap { Int64($0) }
        let place = try readers.take(context.identity.rootKey)
        return JobEvents(
            jobs: runner.jobs, id: job.id, seen: seen, place: place, reader: context.eventReader(.notesWrite)
        ).response()
    }

    package static func id(_ context: GatewayRequestContext) throws -> Int64 {
        guard let id = context.parameters.get("id", as: Int64.self) else {
            throw GatewayError.field("id", "must be a whole number")
        }
        return id
    }

    private func begin(_ kind: Job.Kind, _ parameters: some Encodable, _ context: GatewayRequestContext) async throws
        -> Response
    {
        context.audits(kind.rawValue)
        let (job, isNew) = try await runner.begin(
            kind, String(decoding: try JSONReply.data(parameters), as: UTF8.self), key: context.identity.keyID)
        // One that runs already was not started by this request.
        if isNew { context.audits(kind.rawValue, id: job.id) } else { context.auditsNothing() }
        return try reply(job, status: isNew ? .accepted : .ok)
    }

    private func reply(_ stored: StoredJob, status: HTTPResponse.Status = .ok) throws -> Response {
        var response = JSONReply.response(stored.job, status: status)
        response.headers[.location] = "/api/jobs/\(stored.id)"
        return response
    }

    /// Decodes the body, or returns the fallback when there is none.
    private func decode<Value: Decodable>(
        _ fallback: Value, from request: Request, in context: GatewayRequestContext
    ) async throws -> Value {
        if request.headers[.contentLength] == "0" { return fallback }
        if request.headers[.contentLength] == nil, request.headers[.transferEncoding] == nil { return fallback }
        return try await JSONRequest.decode(Value.self, from: request, limit: bodyLimit, in: context)
    }
}
