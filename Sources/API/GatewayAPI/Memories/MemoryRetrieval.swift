/// The body of `POST /api/memories/retrieve`: `query`, `embedding` or both.
public struct MemoryRetrieveRequest: Codable, Sendable, Hashable {
    /// The query in plain words; at most 16,384 bytes. The server embeds it unless `embedding` is given.
    public var query: String?
    /// The vector of the query; at most 8192 numbers.
    public var embedding: VectorValue?
    /// The maximum number of memories, 1 to 100; 10 when absent.
    public var limit: Int?
    /// The minimum score, 0 to 1; 0 when absent.
    public var minSimilarity: Double?
    /// Only memories of these types; all types when absent.
    public var type: RetrieveRequest.OneOrMore?

    /// Creates a request.
    public init(
        query: String? = nil, embedding: [Float]? = nil, limit: Int? = nil, minSimilarity: Double? = nil,
        type: RetrieveRequest.OneOrMore? = nil
    ) {
        self.query = query
        self.embedding = embedding.map { VectorValue($0) }
        self.limit = limit
        self.minSimilarity = minSimilarity
        self.type = type
    }
}

/// The reply of `POST /api/memories/retrieve`.
public struct MemoryRetrieveResponse: Codable, Sendable, Hashable {
    /// The query as sent; empty when the request had only a vector.
    public var query: String
    /// The number of results.
    public var count: Int
    /// `vector`, or `keyword_fallback` when the query could not be embedded.
    public var source: String
    /// Why vectors were not used, with `keyword_fallback`.
    public var fallbackReason: String?
    /// The memories, best first.
    public var results: [RetrievedMemory]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case query, count, source
        case fallbackReason = "fallback_reason"
        case results
    }

    /// Creates a reply.
    public init(query: String, source: String, fallbackReason: String? = nil, results: [RetrievedMemory]) {
        self.query = query
        count = results.count
        self.source = source
        self.fallbackReason = fallbackReason
        self.results = results
    }
}

/// A memory's fields and its score, in one flat object.
public struct RetrievedMemory: Codable, Sendable, Hashable {
    /// The memory.
    public var memory: Memory
    /// The cosine; without a comparable vector, half the fraction of the query's words that occur in the memory.
    public var score: Double
    /// The cosine; absent when the memory has no vector with the query's dimensions.
    public var similarity: Double?

    private enum CodingKeys: String, CodingKey { case score, similarity }

    /// Creates a result.
    public init(memory: Memory, score: Double, similarity: Double? = nil) {
        self.memory = memory
        self.score = score
        self.similarity = similarity
    }

    /// Decodes the memory's fields and the score from one flat object.
    public init(from decoder: any Decoder) throws {
        memory = try Memory(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        score = try container.decode(Double.self, forKey: .score)
        similarity = try container.decodeIfPresent(Double.self, forKey: .similarity)
    }

    /// Encodes the memory's fields and the score as one flat object.
    public func encode(to encoder: any Encoder) throws {
        try memory.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(score, forKey: .score)
        try container.encodeIfPresent(similarity, forKey: .similarity)
    }
}
