import Access
import GatewayAPI
import Hummingbird
import Server
import Storage

/// `POST /api/memories/retrieve`: finds memories by the cosine of their vectors or by their words.
struct MemoryRetrievalRoute: Sendable {
    let retrieval: MemoryRetrieval
    let bodyLimit: Int

    func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try await JSONRequest.decode(
            MemoryRetrieveRequest.self, from: request, limit: bodyLimit, in: context, unknown: .ignored)
        var query = MemoryRetrieval.Query()
        query.text = try FieldCheck.text(wanted.query, "query", maxBytes: NotesLimits.maxQueryBytes) ?? ""
        query.vector = try wanted.embedding.map { try FieldCheck.vector($0, "embedding") }
        guard !query.text.isEmpty || query.vector != nil else {
            throw GatewayError.field("query", "is required (or \"embedding\")")
        }
        if let vector = query.vector, vector.allSatisfy({ $0 == 0 }) {
            throw GatewayError.field("embedding", "must not be all zeros")
        }
        query.limit = try FieldCheck.limit(wanted.limit, default: 10, in: 1...SearchQuery.maxLimit)
        query.minSimilarity = try FieldCheck.share(wanted.minSimilarity, "minSimilarity") ?? 0
        for type in wanted.type?.values ?? [] {
            query.types.insert(try FieldCheck.word(type, "type", of: Memory.types))
        }
        query.account = context.account
        let response = try await context.client.whilePresent { [retrieval, query] in
            try await retrieval.retrieve(query)
        }
        return JSONReply.response(response)
    }
}
