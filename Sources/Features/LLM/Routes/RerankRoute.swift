import Access
import GatewayAPI
import Hummingbird
import Inference
import Server
import Synchronization
import Transport

/// `POST /v1/rerank` and `/api/rerank`: scores texts by how well they answer a query, in the form of Jina's and Cohere's
/// clients, whatever form the server of the model speaks.
///
/// The model is that of the body, else of `SELENE_RERANK_MODEL`.
struct RerankRoute: Sendable {
    /// The maximum number of texts in one request.
    static let maxDocuments = 1000

    let rerankers: ClientRerankers
    /// The model of the settings.
    let usualModel: String?
    let observer: RequestObserver
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let body = try await JSONRequest.decode(
            Body.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        guard let model = body.model ?? usualModel, !model.isEmpty else {
            throw GatewayError.field("model", "is required, since SELENE_RERANK_MODEL names none")
        }
        guard !body.query.isEmpty else { throw GatewayError.field("query", "must not be empty") }
        let texts = body.documents.map(\.text)
        guard texts.count <= Self.maxDocuments else {
            throw GatewayError.field("documents", "has \(texts.count) texts; \(Self.maxDocuments) are the limit")
        }
        let count = try FieldCheck.limit(body.topN, "top_n", default: max(1, texts.count), in: 1...Int.max)
        try context.requireModel(model)
        guard !texts.isEmpty else { return JSONReply.response(RerankReply(model: model, results: [], tokens: 0)) }
        context.trace.use(model: model)
        context.trace.enter(.waiting)
        observer.logPrompt(body.query, route: "/v1/rerank", logger: context.logger)
        let caller = context.identity.caller
        let reranker = rerankers[model]
        var scored: [(index: Int, score: Double)] = []
        var tokens = 0
        // Also charges for a request that the client abandoned.
        defer { context.recordTokens(prompt: tokens, completion: 0) }
        for start in stride(from: 0, to: texts.count, by: Reranker.maxCandidates) {
            let part = Array(texts[start..<min(texts.count, start + Reranker.maxCandidates)])
            let outcome = try await context.client.whilePresent {
                try await reranker.score(body.query, part, for: caller)
            }
            tokens += outcome.tokens
            try Self.check(outcome, of: model)
            scored += outcome.scores.enumerated().compactMap { place, score in score.map { (start + place, $0) } }
        }
        let best = scored.sorted { $0.score != $1.score ? $0.score > $1.score : $0.index < $1.index }.prefix(count)
        return JSONReply.response(
            RerankReply(
                model: model,
                results: best.map { place in
                    RerankReply.Result(
                        index: place.index, relevanceScore: place.score,
                        document: body.returnDocuments == true ? .init(text: texts[place.index]) : nil)
                }, tokens: tokens))
    }

    /// Refuses an outcome in which a text has no score.
    private static func check(_ outcome: Reranker.Outcome, of model: String) throws(GatewayError) {
        let reason =
            "\"\(model)\" gave no scores (\(outcome.reason ?? "no reason given")); is it a model for reranking?"
        switch outcome.result {
        case .scored:
            let missing = outcome.scores.count { $0 == nil }
            guard missing == 0 else {
                throw GatewayError(
                    .badGateway, .init(rawValue: "upstream_invalid_response"),
                    "the model left \(missing) texts without a score")
            }
        case .timeout: throw GatewayError(.gatewayTimeout, .init(rawValue: "upstream_rerank_timeout"), reason)
        case .busy: throw GatewayError(.tooManyRequests, .overloaded, reason, headers: [.retryAfter: "1"])
        case .failed, .paused:
            guard let status = outcome.status else {
                throw GatewayError(.badGateway, .init(rawValue: "upstream_error"), reason)
            }
            throw GatewayError(upstream: UpstreamError(.status, reason, status: status))
        }
    }

    private struct Body: Decodable {
        var model: String?
        var query: String
        var documents: [Document]
        var topN: Int?
        var returnDocuments: Bool?

        enum CodingKeys: String, CodingKey {
            case model, query, documents
            case topN = "top_n"
            case returnDocuments = "return_documents"
        }
    }

    /// A text, or an object with one.
    private struct Document: Decodable {
        var text: String

        private enum CodingKeys: String, CodingKey { case text }

        init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self) {
                self.text = text
            } else {
                text = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .text)
            }
        }
    }
}

/// The models that clients rerank with. Each remembers the form that its server speaks.
final class ClientRerankers: Sendable {
    /// The models that are remembered.
    private static let limit = 64
    /// The timeout of a call, with its wait for a place.
    private static let timeout = Duration.seconds(60)

    private let models: EmbeddingModels
    private let known = Mutex<[String: Reranker]>([:])

    init(_ models: EmbeddingModels) { self.models = models }

    subscript(model: String) -> Reranker {
        known.withLock { known in
            if let reranker = known[model] { return reranker }
            var options = Reranker.Options(model: model, timeout: Self.timeout)
            options.pauses = false
            let reranker = models.reranker(options)
            if known.count >= Self.limit { known.removeAll() }
            known[model] = reranker
            return reranker
        }
    }
}

/// The reply of `/v1/rerank`: the best first.
private struct RerankReply: Encodable {
    struct Result: Encodable {
        struct Document: Encodable { var text: String }
        var index: Int
        var relevanceScore: Double
        var document: Document?

        enum CodingKeys: String, CodingKey {
            case index, document
            case relevanceScore = "relevance_score"
        }
    }

    struct Usage: Encodable {
        var promptTokens: Int
        var totalTokens: Int

        enum CodingKeys: String, CodingKey {
            case promptTokens = "prompt_tokens"
            case totalTokens = "total_tokens"
        }
    }

    var object = "list"
    var model: String
    var results: [Result]
    var usage: Usage

    init(model: String, results: [Result], tokens: Int) {
        (self.model, self.results) = (model, results)
        usage = Usage(promptTokens: tokens, totalTokens: tokens)
    }
}
