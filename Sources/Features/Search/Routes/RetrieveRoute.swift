import Access
public import GatewayAPI
import Hummingbird
import Retrieval
import Server
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `POST /api/notes/retrieve`.
struct RetrieveRoute: Sendable {
    /// Results of one retrieval at most.
    static let maxLimit = 100
    /// Bytes of a query at most.
    static let maxQueryBytes = 16 << 10
    /// Phrases at most.
    static let maxKeywords = 32
    /// The stages that are counted and told, in their order.
    private static let stages = ["refresh", "embed", "filter", "vector", "keyword", "fusion", "load", "total"]

    let service: RetrievalService
    let metrics: GatewayMetrics
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let retrieve = try await JSONRequest.decode(RetrieveRequest.self, from: request, limit: bodyLimit, in: context)
        var query = try Self.query(for: retrieve)
        query.account = context.account
        context.trace.enter(.waiting)
        let response = try await context.client.whilePresent { [service, query] in try await service.retrieve(query) }
        for stage in Self.stages {
            guard let milliseconds = response.timingsMilliseconds[stage] else { continue }
            metrics.stages[stage].record(.milliseconds(milliseconds))
            if stage != "total" { context.trace.stage(stage, .milliseconds(milliseconds)) }
        }
        metrics.retrievals[response.source].add()
        return JSONReply.response(response)
    }

    /// Checks a request and makes a query of it.
    ///
    /// - Throws: ``GatewayError`` that names the field.
    static func query(for request: RetrieveRequest) throws -> RetrievalService.Query {
        let text = request.query ?? ""
        let keywords = request.keywords?.values ?? []
        var query = RetrievalService.Query(text: text)
        guard text.utf8.count <= maxQueryBytes else {
            throw GatewayError.field("query", "is longer than \(maxQueryBytes) bytes")
        }
        guard keywords.count <= maxKeywords, keywords.allSatisfy({ $0.utf8.count <= 1024 }) else {
            throw GatewayError.field("keywords", "at most \(maxKeywords) of at most 1024 bytes each")
        }
        query.keywords = keywords.filter { !$0.allSatisfy(\.isWhitespace) }
        let hasText = !text.allSatisfy(\.isWhitespace)
        guard hasText || !query.keywords.isEmpty else {
            throw GatewayError.field("query", "is required (or \"keywords\")")
        }
        switch (hasText, request.mode) {
        case (true, let mode): query.mode = mode.flatMap { RetrievalMode(rawValue: $0.rawValue) } ?? .hybrid
        case (false, .vector?): throw GatewayError.field("query", "is required for mode \"vector\"")
        case (false, _): query.mode = .keyword
        }
        if let limit = request.limit {
            guard (1...maxLimit).contains(limit) else {
                throw GatewayError.field("limit", "must be from 1 to \(maxLimit)")
            }
            query.limit = limit
        }
        if let name = request.fusion {
            guard let fusion = FusionMethod.parse(name) else {
                throw GatewayError.field("fusion", "expected convex, convex:ALPHA, rrf, rrf:K or dbsf")
            }
            query.fusion = fusion
        }
        if let name = request.scorer {
            guard let scorer = KeywordScorer(rawValue: name) else {
                throw GatewayError.field("scorer", "expected like, bm25 or both")
            }
            query.scorer = scorer
        }
        query.recency = try recency(request.recency)
        if let diversity = request.diversity {
            guard (0...1).contains(diversity) else { throw GatewayError.field("diversity", "must be from 0 to 1") }
            query.diversity = diversity
        }
        query.isExact = request.exact ?? false
        query.threads = request.thread?.values ?? []
        query.filter.tags = Set(request.tag?.values ?? [])
        guard query.threads.count <= maxKeywords else {
            throw GatewayError.field("thread", "at most \(maxKeywords)")
        }
        query.explain = request.explain ?? false
        query.filter.noteTypes = Set(request.noteType?.values ?? [])
        query.filter.actionabilities = Set(request.actionability?.values ?? [])
        (query.filter.since, query.filter.until) = try span(of: request.timeScope)
        return query
    }

    private static func recency(_ wanted: RetrieveRequest.Recency?) throws -> RecencyWeighting? {
        guard let wanted else { return nil }
        let (weight, days) = (wanted.weight ?? 0.3, wanted.halfLifeDays ?? 30)
        guard (0...1).contains(weight) else { throw GatewayError.field("recency.weight", "must be from 0 to 1") }
        guard days.isFinite, days > 0, days <= 100_000 else {
            throw GatewayError.field("recency.half_life_days", "must be more than 0 and at most 100000")
        }
        return RecencyWeighting(weight: weight, halfLife: days * 86_400, now: Int64(Date.now.timeIntervalSince1970))
    }

    private static func span(of scope: RetrieveRequest.TimeScope?) throws -> (since: Int64?, until: Int64?) {
        guard let scope else { return (nil, nil) }
        if let days = scope.days {
            guard scope.since == nil, scope.until == nil else {
                throw GatewayError.field("timeScope", "give either \"days\" or \"since\" and \"until\"")
            }
            guard days.isFinite, days > 0, days <= 100_000 else {
                throw GatewayError.field("timeScope.days", "must be more than 0 and at most 100000")
            }
            return (Int64(Date.now.timeIntervalSince1970 - days * 86_400), nil)
        }
        func seconds(_ text: String?, _ field: String, endOfDay: Bool) throws -> Int64? {
            guard let text else { return nil }
            guard let value = Timestamp.unixSeconds(text) else {
                throw GatewayError.field("timeScope.\(field)", "\"\(text)\" is not a date such as 2026-01-31")
            }
            return endOfDay && text.utf8.count == 10 ? value + 86_399 : value
        }
        let since = try seconds(scope.since, "since", endOfDay: false)
        let until = try seconds(scope.until, "until", endOfDay: true)
        if let since, let until, since > until {
            throw GatewayError.field("timeScope", "\"since\" is later than \"until\"")
        }
        return (since, until)
    }
}

extension RetrievalService {
    /// Checks and answers a request, as the HTTP route does.
    ///
    /// - Throws: ``GatewayError`` that names the field which is wrong.
    public func retrieve(_ request: RetrieveRequest) async throws -> RetrieveResponse {
        try await retrieve(RetrieveRoute.query(for: request))
    }
}
