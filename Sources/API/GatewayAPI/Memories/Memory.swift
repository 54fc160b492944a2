/// Something that was learned from conversations.
public struct Memory: Codable, Sendable, Hashable {
    /// The words that ``type`` may be.
    package static let types = ["preference", "fact", "pattern", "context"]

    /// The row's id.
    public var id: Int64
    /// What was learned.
    public var content: String
    /// `preference`, `fact`, `pattern` or `context`.
    public var type: String?
    /// How sure it is, 0 to 1.
    public var confidence: Double
    /// The session that it was learned in.
    public var sourceSessionID: String?
    /// As the database stores it, in UTC.
    public var createdAt: String?
    /// As the database stores it, in UTC; absent in files that do not say.
    public var updatedAt: String?
    /// When it was last of use.
    public var lastAccessedAt: String?
    /// Its vector as ``VectorText``, with `?embeddings=true`.
    public var embedding: String?

    /// The vector as numbers; nil when it did not travel.
    public var vector: [Float]? { embedding.flatMap(VectorText.decode) }

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case id, content, type, confidence
        case sourceSessionID = "source_session_id"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case lastAccessedAt = "last_accessed_at"
        case embedding
    }

    /// Creates a memory.
    public init(
        id: Int64, content: String, type: String? = nil, confidence: Double = 1, sourceSessionID: String? = nil,
        createdAt: String? = nil, updatedAt: String? = nil, lastAccessedAt: String? = nil, embedding: String? = nil
    ) {
        self.id = id
        self.content = content
        self.type = type
        self.confidence = confidence
        self.sourceSessionID = sourceSessionID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.lastAccessedAt = lastAccessedAt
        self.embedding = embedding
    }
}

/// The reply of `GET /api/memories`: the surest first, then those of use most lately.
public struct MemoriesResponse: Codable, Sendable, Hashable {
    /// How many memories follow.
    public var count: Int
    /// The memories.
    public var memories: [Memory]
    /// Where the next page begins; absent on the last page.
    public var nextCursor: String?

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case count, memories
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(memories: [Memory], nextCursor: String? = nil) {
        count = memories.count
        self.memories = memories
        self.nextCursor = nextCursor
    }
}

/// A vector in a request: ``VectorText``, or a list of numbers.
public struct VectorValue: Codable, Sendable, Hashable {
    /// The numbers.
    public var values: [Float]

    /// Creates a vector.
    public init(_ values: [Float]) { self.values = values }

    /// Decodes base64 text or a list of numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            guard let values = VectorText.decode(text) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "is not base64 of float32 numbers")
            }
            self.values = values
            return
        }
        do {
            values = try container.decode([Float].self)
        } catch {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "expected base64 of float32 numbers, or a list of numbers")
        }
    }

    /// Encodes base64 text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(VectorText.encode(values))
    }
}

/// The body of `POST /api/memories`.
public struct NewMemory: Codable, Sendable, Hashable {
    /// What was learned; at most 65,536 bytes, not empty.
    public var content: String
    /// `preference`, `fact`, `pattern` or `context`.
    public var type: String
    /// How sure it is, 0 to 1; 1 when absent.
    public var confidence: Double?
    /// The session that it was learned in.
    public var sourceSessionID: String?
    /// Its vector, 8192 numbers at most.
    public var embedding: VectorValue?

    /// The names on the wire; `source_session_id` is understood, too.
    public enum CodingKeys: String, CodingKey {
        case content, type, confidence
        case sourceSessionID = "sourceSessionId"
        case embedding
    }

    private enum Alias: String, CodingKey { case sourceSessionID = "source_session_id" }

    /// Creates a memory.
    public init(
        content: String, type: String, confidence: Double? = nil, sourceSessionID: String? = nil,
        embedding: [Float]? = nil
    ) {
        self.content = content
        self.type = type
        self.confidence = confidence
        self.sourceSessionID = sourceSessionID
        self.embedding = embedding.map { VectorValue($0) }
    }

    /// Decodes either form of the names.
    public init(from decoder: any Decoder) throws {
        let own = try decoder.container(keyedBy: CodingKeys.self)
        let alias = try decoder.container(keyedBy: Alias.self)
        content = try own.decode(String.self, forKey: .content)
        type = try own.decode(String.self, forKey: .type)
        confidence = try own.decodeIfPresent(Double.self, forKey: .confidence)
        sourceSessionID =
            try own.decodeIfPresent(String.self, forKey: .sourceSessionID)
            ?? alias.decodeIfPresent(String.self, forKey: .sourceSessionID)
        embedding = try own.decodeIfPresent(VectorValue.self, forKey: .embedding)
    }
}

/// The body of `PUT /api/memories/:id`: at least one field; absent ones stay.
public struct MemoryUpdate: Codable, Sendable, Hashable {
    /// What was learned.
    public var content: String?
    /// `preference`, `fact`, `pattern` or `context`.
    public var type: String?
    /// How sure it is, 0 to 1.
    public var confidence: Double?
    /// Another vector, or none. A new content without one takes the old one away, which belongs to the old content.
    public var embedding: FieldUpdate<VectorValue>

    private enum CodingKeys: String, CodingKey { case content, type, confidence, embedding }

    /// Creates a change.
    public init(
        content: String? = nil, type: String? = nil, confidence: Double? = nil,
        embedding: FieldUpdate<VectorValue> = .keep
    ) {
        self.content = content
        self.type = type
        self.confidence = confidence
        self.embedding = embedding
    }

    /// Decodes what changes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        content = try container.decodeIfPresent(String.self, forKey: .content)
        type = try container.decodeIfPresent(String.self, forKey: .type)
        confidence = try container.decodeIfPresent(Double.self, forKey: .confidence)
        embedding = try container.update(VectorValue.self, forKey: .embedding)
    }

    /// Encodes what changes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(content, forKey: .content)
        try container.encodeIfPresent(type, forKey: .type)
        try container.encodeIfPresent(confidence, forKey: .confidence)
        try container.encode(embedding, forKey: .embedding)
    }
}

/// The body of `POST /api/memories/touch`: these were of use just now.
public struct TouchRequest: Codable, Sendable, Hashable {
    /// Memories, 1 to 1000; one that does not exist is passed over.
    public var ids: [Int64]

    /// Creates a request.
    public init(ids: [Int64]) { self.ids = ids }
}

/// The reply of `POST /api/memories/touch`.
public struct TouchResponse: Codable, Sendable, Hashable {
    /// `ok`.
    public var status: String
    /// How many of them exist.
    public var touched: Int

    /// Creates a reply.
    public init(touched: Int) {
        status = "ok"
        self.touched = touched
    }
}
