/// A fact, preference, pattern or context learned from conversations.
public struct Memory: Codable, Sendable, Hashable {
    /// The valid values of ``type``.
    package static let types = ["preference", "fact", "pattern", "context"]

    /// The row id in the database.
    public var id: Int64
    /// What was learned, as text.
    public var content: String
    /// `preference`, `fact`, `pattern` or `context`.
    public var type: String?
    /// The confidence, 0 to 1.
    public var confidence: Double
    /// The session in which the memory was learned.
    public var sourceSessionID: String?
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String?
    /// The time of the last change in UTC, as stored; absent when the database file has none.
    public var updatedAt: String?
    /// When the memory was last used.
    public var lastAccessedAt: String?
    /// The vector as ``VectorText``; only with `?embeddings=true`.
    public var embedding: String?
    /// What the gateway knows of it; absent for a memory that it neither found nor read.
    public var details: MemoryDetails?

    /// The vector as numbers; nil when the reply has none.
    public var vector: [Float]? { embedding.flatMap(VectorText.decode) }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, content, type, confidence
        case sourceSessionID = "source_session_id"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case lastAccessedAt = "last_accessed_at"
        case embedding, details
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

/// The reply of `GET /api/memories`, by confidence and then by last use.
public struct MemoriesResponse: Codable, Sendable, Hashable {
    /// The number of memories in this reply.
    public var count: Int
    /// The memories.
    public var memories: [Memory]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?
    /// Whether the gateway finds memories in chats and uses them (`SELENE_MEMORIES`).
    public var isOn: Bool?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, memories
        case nextCursor = "next_cursor"
        case isOn = "is_on"
    }

    /// Creates a reply.
    public init(memories: [Memory], nextCursor: String? = nil, isOn: Bool? = nil) {
        count = memories.count
        self.memories = memories
        self.nextCursor = nextCursor
        self.isOn = isOn
    }
}

/// A vector in a request: ``VectorText`` or a list of numbers.
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
    /// What was learned, as text; 1 to 65,536 bytes.
    public var content: String
    /// `preference`, `fact`, `pattern` or `context`.
    public var type: String
    /// The confidence, 0 to 1; 1 when absent.
    public var confidence: Double?
    /// The session in which the memory was learned.
    public var sourceSessionID: String?
    /// The memory's vector; at most 8192 numbers.
    public var embedding: VectorValue?

    /// The JSON field names; decoding also accepts `source_session_id`.
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

    /// Decodes a memory; accepts `source_session_id` too.
    public init(from decoder: any Decoder) throws {
        let own = try decoder.container(keyedBy: CodingKeys.self)
        let alias = try decoder.container(keyedBy: Alias.self)
        content = try own.decode(String.self, forKey: .content)
        type = try own.decode(String.self, forKey: .type)
        confidence = try own.decodeIfPresent(Double.self, forKey: .confidence)
        sourceSessionID = try own.decodeIfPresent(
            String.self, forKey: .sourceSessionID, or: .sourceSessionID, in: alias)
        embedding = try own.decodeIfPresent(VectorValue.self, forKey: .embedding)
    }
}

/// The body of `PUT /api/memories/:id`: at least one field; absent fields keep their value.
public struct MemoryUpdate: Codable, Sendable, Hashable {
    /// What was learned, as text.
    public var content: String?
    /// `preference`, `fact`, `pattern` or `context`.
    public var type: String?
    /// The confidence, 0 to 1.
    public var confidence: Double?
    /// A new vector, or null. New content without a vector removes the stored vector, which belongs to the old content.
    public var embedding: FieldUpdate<VectorValue>
    /// Whether chats always get the memory, whatever the question.
    public var isPinned: Bool?

    private enum CodingKeys: String, CodingKey {
        case content, type, confidence, embedding
        case isPinned = "is_pinned"
    }

    /// Creates a change.
    public init(
        content: String? = nil, type: String? = nil, confidence: Double? = nil,
        embedding: FieldUpdate<VectorValue> = .keep, isPinned: Bool? = nil
    ) {
        self.isPinned = isPinned
        self.content = content
        self.type = type
        self.confidence = confidence
        self.embedding = embedding
    }

    /// Decodes the fields that change.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        content = try container.decodeIfPresent(String.self, forKey: .content)
        type = try container.decodeIfPresent(String.self, forKey: .type)
        confidence = try container.decodeIfPresent(Double.self, forKey: .confidence)
        embedding = try container.update(VectorValue.self, forKey: .embedding)
        isPinned = try container.decodeIfPresent(Bool.self, forKey: .isPinned)
    }

    /// Encodes the fields that change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(content, forKey: .content)
        try container.encodeIfPresent(type, forKey: .type)
        try container.encodeIfPresent(confidence, forKey: .confidence)
        try container.encode(embedding, forKey: .embedding)
        try container.encodeIfPresent(isPinned, forKey: .isPinned)
    }
}

/// The body of `POST /api/memories/touch`: marks memories as used now.
public struct TouchRequest: Codable, Sendable, Hashable {
    /// Memory ids, 1 to 1000; ids that do not exist are skipped.
    public var ids: [Int64]

    /// Creates a request.
    public init(ids: [Int64]) { self.ids = ids }
}

/// The reply of `POST /api/memories/touch`.
public struct TouchResponse: Codable, Sendable, Hashable {
    /// Always `ok`.
    public var status: String
    /// The number of ids that exist.
    public var touched: Int

    /// Creates a reply.
    public init(touched: Int) {
        status = "ok"
        self.touched = touched
    }
}
