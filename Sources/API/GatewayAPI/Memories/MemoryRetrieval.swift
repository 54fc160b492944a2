/// The body of `POST /api/memories/retrieve`: `query`, `embedding` or both.
public struct MemoryRetrieveRequest: Codable, Sendable, Hashable {
    /// What is sought, in plain words; at most 16,384 bytes. Embedded by the server unless `embedding` is given.
    public var query: String?
    /// The vector of what is sought, 8192 numbers at most.
    public var embedding: VectorValue?
    /// Memories at most, 1 to 100; 10 when absent.
    public var limit: Int?
    /// The least score that is found, 0 to 1; 0 when absent.
    public var minSimilarity: Double?
    /// Only memories of these types.
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
    /// The query as it was sent; empty when only a vector was.
    public var query: String
    /// How many results follow.
    public var count: Int
    /// `vector`, or `keyword_fallback` when no vector was to be had for the query.
    public var source: String
    /// Why vectors were not used, with `keyword_fallback`.
    public var fallbackReason: String?
    /// The memories, best first.
    public var results: [RetrievedMemory]

    /// The names on the wire.
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
    /// The cosine; for a memory without a vector of the query's length, half the share of the query's words that it has.
    public var score: Double
    /// The cosine; absent when the memory has no vector of the query's length.
    public var similarity: Double?

    private enum CodingKeys: String, CodingKey { case score, similarity }

    /// Creates a result.
    public init(memory: Memory, score: Double, similarity: Double? = nil) {
        self.memory = memory
        self.score = score
        self.similarity = similarity
    }

    /// Decodes the flat object.
    public init(from decoder: any Decoder) throws {
        memory = try Memory(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        score = try container.decode(Double.self, forKey: .score)
        similarity = try container.decodeIfPresent(Double.self, forKey: .similarity)
    }

    /// Encodes a flat object.
    public func encode(to encoder: any Encoder) throws {
        try memory.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(score, forKey: .score)
        try container.encodeIfPresent(similarity, forKey: .similarity)
    }
}
