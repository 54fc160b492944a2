package import GatewayAPI
package import Retrieval
package import Server
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Checks requests for a search; no other place does.
extension SearchQuery {
    /// - Parameter defaultFusion: The fusion of a request that names none.
    /// - Throws: ``GatewayError`` that names the field.
    package init(_ request: RetrieveRequest, defaultFusion: FusionMethod) throws(GatewayError) {
        let text = try FieldCheck.bounded(request.query ?? "", "query", maxBytes: Self.maxTextBytes)
        let keywords = request.keywords?.values ?? []
        guard keywords.count <= Self.maxKeywords, keywords.allSatisfy({ $0.utf8.count <= Self.maxKeywordBytes }) else {
            throw .field("keywords", "at most \(Self.maxKeywords) of at most \(Self.maxKeywordBytes) bytes each")
        }
        let phrases = Self.filled(keywords)
        let hasText = !text.isBlank
        guard hasText || !phrases.isEmpty else { throw .field("query", "is required (or \"keywords\")") }
        guard hasText || request.mode != .vector else { throw .field("query", "is required for mode \"vector\"") }
        let mode = request.mode.flatMap { RetrievalMode(rawValue: $0.rawValue) } ?? .hybrid
        self.init(HybridQuery(text: text, keywords: phrases, mode: hasText ? mode : .keyword))
        index.limit = try FieldCheck.limit(request.limit, default: index.limit, in: 1...Self.maxLimit)
        index.fusion =
            try FieldCheck.parsed(
                request.fusion, "fusion", as: "convex, convex:ALPHA, rrf, rrf:K or dbsf", by: FusionMethod.parse)
            ?? defaultFusion
        index.scorer =
            try FieldCheck.parsed(request.scorer, "scorer", as: "like, bm25 or both") { KeywordScorer(rawValue: $0) }
            ?? index.scorer
        index.recency = try request.recency.map(Self.recency)
        index.diversity = try FieldCheck.share(request.diversity, "diversity")
        if request.feedback == false { index.feedback = nil }
        rerank = try FieldCheck.rerank(request.rerank)
        if request.exact == true { index.plan = .exact }
        index.explain = request.explain ?? false
        (hasSnippets, hasContent) = (request.snippet ?? false, request.content ?? true)
        analyzes = (request.analyze ?? false) && hasText
        readsOperators = hasText
        threads = Self.filled(request.thread?.values ?? [])
        guard threads.count <= Self.maxKeywords else { throw .field("thread", "at most \(Self.maxKeywords)") }
        index.filter.tags = Self.tags(request.tag?.values ?? [])
        index.filter.noteTypes = Set(Self.filled(request.noteType?.values ?? []))
        index.filter.actionabilities = Set(Self.filled(request.actionability?.values ?? []))
        if let scope = request.timeScope { (index.filter.since, index.filter.until) = try Self.span(of: scope) }
    }

    private static func recency(_ wanted: RetrieveRequest.Recency) throws(GatewayError) -> RecencyWeighting {
        RecencyWeighting(
            weight: try FieldCheck.share(wanted.weight, "recency.weight") ?? 0.3,
            halfLife: try FieldCheck.days(wanted.halfLifeDays ?? 30, "recency.half_life_days") * 86_400,
            now: Int64(Date.now.timeIntervalSince1970))
    }

    private static func span(
        of scope: RetrieveRequest.TimeScope
    ) throws(GatewayError) -> (since: Int64?, until: Int64?) {
        if let days = scope.days {
            guard scope.since == nil, scope.until == nil else {
                throw .field("timeScope", "give either \"days\" or \"since\" and \"until\"")
            }
            let seconds = try FieldCheck.days(days, "timeScope.days") * 86_400
            return (Int64(Date.now.timeIntervalSince1970 - seconds), nil)
        }
        let since = try date(scope.since, "timeScope.since", endOfDay: false)
        let until = try date(scope.until, "timeScope.until", endOfDay: true)
        if let since, let until, since > until { throw .field("timeScope", "\"since\" is later than \"until\"") }
        return (since, until)
    }

    /// - Parameter endOfDay: Whether a date without a time means the last second of its day.
    private static func date(_ text: String?, _ field: String, endOfDay: Bool) throws(GatewayError) -> Int64? {
        guard let text else { return nil }
        guard let value = Timestamp.unixSeconds(text) else {
            throw .field(field, "\"\(text)\" is not a date such as 2026-01-31")
        }
        return endOfDay && text.utf8.count == 10 ? value + 86_399 : value
    }
}
