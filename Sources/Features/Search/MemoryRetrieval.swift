package import Access
package import GatewayAPI
package import Inference
package import Storage
import Synchronization
import Text
import Transport

/// Finds memories by the cosine of their stored vectors and, where there is none, by their words.
package struct MemoryRetrieval: Sendable {
    /// Memories that one retrieval looks at, the newest first.
    static let maxScanned = 50_000

    package let database: GatewayDatabase
    package let lane: EmbeddingLane
    /// The model that a query is embedded with: the one that `/api/llm/embed` uses.
    package let model: String
    /// How long a query's vector is waited for.
    let timeout: Duration
    /// Places for reads of many rows.
    package let scans: KeyShare

    package init(database: GatewayDatabase, lane: EmbeddingLane, model: String, timeout: Duration, scans: KeyShare) {
        self.database = database
        self.lane = lane
        self.model = model
        self.timeout = timeout
        self.scans = scans
    }

    /// A question that was checked.
    package struct Query: Sendable {
        package var text = ""
        package var vector: [Float]?
        package var limit = 10
        var minSimilarity = 0.0
        /// Any when empty.
        var types: Set<String> = []
        /// Who asks, for a fair share of the upstream, and pays for the query's vector.
        var account = TokenAccount.local
    }

    /// - Throws: ``StorageError``, `CancellationError`.
    package func retrieve(_ query: Query) async throws -> MemoryRetrieveResponse {
        var vector = query.vector
        var reason: String?
        if vector == nil {
            do {
                vector = try await embed(query.text, for: query.account)
            } catch let error as UpstreamError where error.code != .cancelled {
                reason = error.message
            }
        }
        let search = MemorySearch(query: query, vector: vector)
        try await scans.run(query.account.name) {
            try await database.memories.forEach(limit: Self.maxScanned) { search.consider($0, $1) }
        }
        return MemoryRetrieveResponse(
            query: query.text, source: reason == nil ? "vector" : "keyword_fallback", fallbackReason: reason,
            results: search.best)
    }

    private func embed(_ text: String, for account: TokenAccount) async throws -> [Float] {
        let prepared = ModelProfile(model: model).prepared(text, kind: .query)
        return try await QueryEmbedder.within(timeout) { [lane, model] in
            let vector = try await lane.embed(prepared, with: EmbeddingModel(name: model), for: account)
            guard let vector, vector.contains(where: { $0 != 0 }) else {
                throw UpstreamError(.protocolViolation, "Ollama's vector for this query is empty or zero")
            }
            return vector
        }
    }
}

/// Keeps the best memories of those that it is shown.
private final class MemorySearch: Sendable {
    private let query: MemoryRetrieval.Query
    private let vector: [Float]?
    private let length: Double
    private let words: Set<String>
    private let found = Mutex<[RetrievedMemory]>([])

    init(query: MemoryRetrieval.Query, vector: [Float]?) {
        self.query = query
        self.vector = vector
        length = vector.map { Self.dot($0, $0).squareRoot() } ?? 0
        words = Self.words(query.text)
    }

    func consider(_ memory: Memory, _ stored: [Float]?) {
        if !query.types.isEmpty, !query.types.contains(memory.type ?? "") { return }
        guard let (score, similarity) = score(memory, stored), score >= query.minSimilarity else { return }
        let result = RetrievedMemory(memory: memory, score: score, similarity: similarity)
        found.withLock { found in
            found.append(result)
            // Sorted now and then, so that no more are held than a small multiple of what is wanted.
            if found.count >= query.limit * 4 + 64 { Self.cut(&found, to: query.limit) }
        }
    }

    /// Best first; of equals the surer, then the newer one.
    var best: [RetrievedMemory] {
        found.withLock { found in
            Self.cut(&found, to: query.limit)
            return found
        }
    }

    private func score(_ memory: Memory, _ stored: [Float]?) -> (score: Double, similarity: Double?)? {
        if let vector, let other = stored, other.count == vector.count {
            let product = length * Self.dot(other, other).squareRoot()
            guard product > 0, product.isFinite else { return nil }
            let cosine = Self.dot(vector, other) / product
            return cosine.isFinite ? (cosine, cosine) : nil
        }
        guard !words.isEmpty else { return nil }
        let common = words.intersection(Self.words(memory.content)).count
        return common == 0 ? nil : (Double(common) / Double(words.count) / 2, nil)
    }

    private static func cut(_ found: inout [RetrievedMemory], to limit: Int) {
        found.sort {
            ($0.score, $0.memory.confidence, $0.memory.id) > ($1.score, $1.memory.confidence, $1.memory.id)
        }
        found.removeLast(max(0, found.count - limit))
    }

    private static func dot(_ left: [Float], _ right: [Float]) -> Double {
        var sum = 0.0
        for index in left.indices { sum += Double(left[index]) * Double(right[index]) }
        return sum
    }

    private static func words(_ text: String) -> Set<String> {
        Set(TextFolding.folded(text).split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }
}
