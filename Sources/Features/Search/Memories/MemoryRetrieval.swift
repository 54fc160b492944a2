package import Access
package import ChatRoom
package import GatewayAPI
import Inference
import Retrieval
import Transport

/// Finds memories by the cosine of their stored vectors, and memories without a vector by their words.
package struct MemoryRetrieval: Sendable {
    /// Extra results, so that memories with equal cosines can be ordered.
    private static let spare = 100
    /// The number of query words in one search of the index; the engine takes at most 32 phrases.
    private static let wordsInSearch = 32
    /// The number of query words that find memories. Later words still count in a memory's share.
    private static let maxWords = 256

    private let store: MemoryRoom
    private let memories: MemoryIndex
    private let embedder: QueryEmbedder
    /// The model that embeds queries, the same as for `/api/llm/embed`.
    private let model: String
    /// Admits reads of many rows.
    private let scans: KeyConcurrencyLimiter

    package init(
        _ store: MemoryRoom, embedder: QueryEmbedder, model: String, scans: KeyConcurrencyLimiter
    ) {
        self.store = store
        memories = MemoryIndex(store)
        self.embedder = embedder
        self.model = model
        self.scans = scans
    }

    /// A validated query.
    package struct Query: Sendable {
        package var text = ""
        package var vector: [Float]?
        package var limit = 10
        var minSimilarity = 0.0
        /// The types to find; empty for any.
        var types: Set<String> = []
        /// The caller, for a fair share of the upstream, and the payer for the query's vector.
        package var account = TokenAccount.local
        /// Whether the text is sent to no model on another machine.
        package var mayTellPrivate = false
        /// Whether the text is embedded; else words answer.
        package var usesVectors = true

        /// Creates a query. Without a vector the text is embedded.
        package init(
            text: String = "", vector: [Float]? = nil, limit: Int = 10, minSimilarity: Double = 0,
            types: Set<String> = [], account: TokenAccount = .local
        ) {
            (self.text, self.vector, self.limit) = (text, vector, limit)
            (self.minSimilarity, self.types, self.account) = (minSimilarity, types, account)
        }
    }

    /// - Throws: The store's error, ``RetrievalError``, `CancellationError`.
    package func retrieve(_ query: Query) async throws -> MemoryRetrieveResponse {
        var vector = query.vector
        var reason: String?
        if vector == nil, !query.usesVectors { reason = "only words were asked for" }
        if vector == nil, query.usesVectors {
            do {
                vector = try await embed(query)
            } catch let error as UpstreamError where error.code != .cancelled {
                reason = error.message
            }
        }
        let results = try await scans.run(query.account.name) { [vector] in try await best(for: query, vector) }
        return MemoryRetrieveResponse(
            query: query.text, source: reason == nil ? "vector" : "keyword_fallback", fallbackReason: reason,
            results: results)
    }

    private func embed(_ query: Query) async throws -> [Float] {
        let prepared = ModelProfile(model: model).prepared(query.text, kind: .query)
        let vector = try await embedder.vector(
            of: prepared, with: EmbeddingModel(name: model), account: query.account,
            mayTellPrivate: query.mayTellPrivate)
        guard vector.contains(where: { $0 != 0 }) else {
            throw UpstreamError(.protocolViolation, "Ollama's vector for this query is empty or zero")
        }
        return vector
    }

    /// The best memories, best first. Equal ones are ordered by confidence, then by age, newest first.
    private func best(for query: Query, _ vector: [Float]?) async throws -> [RetrievedMemory] {
        let index = try await memories.current(dimensions: vector?.count)
        let words = FoldedWords.of(query.text)
        let results = try await index.search(searches(for: query, vector, words))
        var cosines: [Int64: Double] = [:]
        if vector != nil, let first = results.first { for hit in first.hits { cosines[hit.id] = hit.score } }
        let ids = Set(results.flatMap(\.hits).map(\.id))
        var found: [RetrievedMemory] = []
        for memory in try await store.find(ids: ids.sorted()) {
            let score = cosines[memory.id] ?? Self.share(of: words, in: memory.content) / 2
            guard score >= query.minSimilarity, cosines[memory.id] != nil || score > 0 else { continue }
            found.append(
                RetrievedMemory(memory: memory, score: score, similarity: cosines[memory.id]))
        }
        found.sort { ($0.score, $0.memory.confidence, $0.memory.id) > ($1.score, $1.memory.confidence, $1.memory.id) }
        return Array(found.prefix(query.limit))
    }

    /// The searches for a query: by vector if it has one, then by words for memories without a vector of that length.
    private func searches(for query: Query, _ vector: [Float]?, _ words: [String]) -> [HybridQuery] {
        var searches: [HybridQuery] = []
        var filter = Filter(noteTypes: query.types)
        if let vector {
            searches.append(
                HybridQuery(text: "", vector: vector, mode: .vector, filter: filter, limit: query.limit + Self.spare))
            filter.actionabilities = [MemoryIndex.Kind.words.rawValue]
        }
        let named = words.prefix(Self.maxWords)
        for start in stride(from: 0, to: named.count, by: Self.wordsInSearch) {
            let part = Array(named[start..<min(named.count, start + Self.wordsInSearch)])
            searches.append(
                HybridQuery(
                    text: "", keywords: part, mode: .keyword, filter: filter, limit: HybridQuery.maxLimit, scorer: .like
                ))
        }
        return searches
    }

    /// The share of some words that occur in a text as whole words.
    private static func share(of words: [String], in text: String) -> Double {
        guard !words.isEmpty else { return 0 }
        let own = Set(FoldedWords.of(text))
        return Double(words.count { own.contains($0) }) / Double(words.count)
    }
}
