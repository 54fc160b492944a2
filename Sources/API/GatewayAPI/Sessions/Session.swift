/// A chat session.
public struct Session: Codable, Sendable, Hashable {
    /// The session id that the client chose.
    public var id: String
    /// The title in one line.
    public var title: String
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String?
    /// The time of the last change in UTC, as stored; lists of sessions are ordered by it.
    public var updatedAt: String?
    /// The number of messages.
    public var messageCount: Int
    /// Whether the session is pinned to the top of lists; 0 or 1 in JSON.
    public var isPinned: Bool
    /// `full`, `processing` while a summary is being written, `hybrid` when the messages are kept beside a summary of old
    /// ones, or `compressed`; absent when the database file has none.
    public var compressionState: String?
    /// When the session was compressed.
    public var compressedAt: String?
    /// The messages as JSON text; absent after compression removed them.
    public var messagesJSON: String?
    /// A summary of the conversation, after compression.
    public var summaryText: String?
    /// The last message that the summary covers; absent for a summary that the gateway did not write.
    public var compressedThrough: Int64?
    /// Why the last attempt to write a summary failed.
    public var compressionError: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case messageCount = "message_count"
        case isPinned = "is_pinned"
        case compressionState = "compression_state"
        case compressedAt = "compressed_at"
        case messagesJSON = "messages_json"
        case summaryText = "summary_text"
        case compressedThrough = "compressed_through"
        case compressionError = "compression_error"
    }

    /// Creates a session.
    public init(
        id: String, title: String, createdAt: String? = nil, updatedAt: String? = nil, messageCount: Int = 0,
        isPinned: Bool = false, compressionState: String? = nil, compressedAt: String? = nil,
        messagesJSON: String? = nil, summaryText: String? = nil, compressedThrough: Int64? = nil,
        compressionError: String? = nil
    ) {
        self.id = id
        self.title = title
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.messageCount = messageCount
        self.isPinned = isPinned
        self.compressionState = compressionState
        self.compressedAt = compressedAt
        self.messagesJSON = messagesJSON
        self.summaryText = summaryText
        self.compressedThrough = compressedThrough
        self.compressionError = compressionError
    }

    /// Decodes a session; accepts a pin as a number or a boolean.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        title = try container.decode(String.self, forKey: .title)
        createdAt = try container.decodeIfPresent(String.self, forKey: .createdAt)
        updatedAt = try container.decodeIfPresent(String.self, forKey: .updatedAt)
        messageCount = try container.decodeIfPresent(Int.self, forKey: .messageCount) ?? 0
        isPinned = try container.decodeIfPresent(BinaryFlag.self, forKey: .isPinned)?.isOn ?? false
        compressionState = try container.decodeIfPresent(String.self, forKey: .compressionState)
        compressedAt = try container.decodeIfPresent(String.self, forKey: .compressedAt)
        messagesJSON = try container.decodeIfPresent(String.self, forKey: .messagesJSON)
        summaryText = try container.decodeIfPresent(String.self, forKey: .summaryText)
        compressedThrough = try container.decodeIfPresent(Int64.self, forKey: .compressedThrough)
        compressionError = try container.decodeIfPresent(String.self, forKey: .compressionError)
    }

    /// Encodes a session; writes the pin as 0 or 1.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encodeIfPresent(createdAt, forKey: .createdAt)
        try container.encodeIfPresent(updatedAt, forKey: .updatedAt)
        try container.encode(messageCount, forKey: .messageCount)
        try container.encode(isPinned ? 1 : 0, forKey: .isPinned)
        try container.encodeIfPresent(compressionState, forKey: .compressionState)
        try container.encodeIfPresent(compressedAt, forKey: .compressedAt)
        try container.encodeIfPresent(messagesJSON, forKey: .messagesJSON)
        try container.encodeIfPresent(summaryText, forKey: .summaryText)
        try container.encodeIfPresent(compressedThrough, forKey: .compressedThrough)
        try container.encodeIfPresent(compressionError, forKey: .compressionError)
    }
}

/// The reply of `GET /api/sessions`, latest first.
public struct SessionsResponse: Codable, Sendable, Hashable {
    /// The number of sessions in this reply.
    public var count: Int
    /// The sessions.
    public var sessions: [Session]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, sessions
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(sessions: [Session], nextCursor: String? = nil) {
        count = sessions.count
        self.sessions = sessions
        self.nextCursor = nextCursor
    }
}

/// The body of `PUT /api/sessions/:id`. Creates a missing session; absent fields of an existing one keep their value.
public struct SessionUpdate: Codable, Sendable, Hashable {
    /// The title in one line; 1 to 4096 bytes. Required for a new session.
    public var title: String?
    /// When the session began; now when absent in a new session.
    public var createdAt: String?
    /// When the session last changed; now when absent.
    public var updatedAt: String?
    /// The number of messages; counted in ``messagesJSON`` when absent.
    public var messageCount: Int?
    /// Whether the session is pinned to the top of lists.
    public var isPinned: Bool?
    /// `full`, `processing`, `compressed` or `hybrid`.
    public var compressionState: String?
    /// When the session was compressed.
    public var compressedAt: FieldUpdate<String>
    /// The messages as the text of a JSON array. Decoding also accepts the array itself.
    public var messagesJSON: FieldUpdate<String>
    /// A summary of the conversation.
    public var summaryText: FieldUpdate<String>
    /// The messages when the request has them as an array; the server converts them to text.
    public var messages: [JSONValue]?

    /// The JSON field names; decoding also accepts `full_messages_json` and camelCase.
    public enum CodingKeys: String, CodingKey {
        case title
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case messageCount = "message_count"
        case isPinned = "is_pinned"
        case compressionState = "compression_state"
        case compressedAt = "compressed_at"
        case messagesJSON = "messages_json"
        case summaryText = "summary_text"
        case messages
    }

    private enum Alias: String, CodingKey {
        case createdAt, updatedAt, messageCount, isPinned, compressionState, compressedAt, messagesJson, summaryText
        case fullMessagesJSON = "full_messages_json"
    }

    /// Creates a change.
    public init(
        title: String? = nil, createdAt: String? = nil, updatedAt: String? = nil, messageCount: Int? = nil,
        isPinned: Bool? = nil, compressionState: String? = nil, compressedAt: FieldUpdate<String> = .keep,
        messagesJSON: FieldUpdate<String> = .keep, summaryText: FieldUpdate<String> = .keep,
        messages: [JSONValue]? = nil
    ) {
        self.title = title
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.messageCount = messageCount
        self.isPinned = isPinned
        self.compressionState = compressionState
        self.compressedAt = compressedAt
        self.messagesJSON = messagesJSON
        self.summaryText = summaryText
        self.messages = messages
    }

    /// Decodes all accepted field names.
    public init(from decoder: any Decoder) throws {
        let own = try decoder.container(keyedBy: CodingKeys.self)
        let alias = try decoder.container(keyedBy: Alias.self)
        func either<Value: Decodable>(_ type: Value.Type, _ key: CodingKeys, _ other: Alias) throws -> Value? {
            try own.decodeIfPresent(type, forKey: key, or: other, in: alias)
        }
        title = try own.decodeIfPresent(String.self, forKey: .title)
        createdAt = try either(String.self, .createdAt, .createdAt)
        updatedAt = try either(String.self, .updatedAt, .updatedAt)
        messageCount = try either(Int.self, .messageCount, .messageCount)
        isPinned = try either(BinaryFlag.self, .isPinned, .isPinned)?.isOn
        compressionState = try either(String.self, .compressionState, .compressionState)
        compressedAt = try own.update(String.self, forKey: .compressedAt)
            .or(alias.update(String.self, forKey: .compressedAt))
        messagesJSON = try own.update(String.self, forKey: .messagesJSON)
            .or(alias.update(String.self, forKey: .fullMessagesJSON))
            .or(alias.update(String.self, forKey: .messagesJson))
        summaryText = try own.update(String.self, forKey: .summaryText)
            .or(alias.update(String.self, forKey: .summaryText))
        messages = try own.decodeIfPresent([JSONValue].self, forKey: .messages)
    }

    /// Encodes the fields that change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(createdAt, forKey: .createdAt)
        try container.encodeIfPresent(updatedAt, forKey: .updatedAt)
        try container.encodeIfPresent(messageCount, forKey: .messageCount)
        try container.encodeIfPresent(isPinned.map { $0 ? 1 : 0 }, forKey: .isPinned)
        try container.encodeIfPresent(compressionState, forKey: .compressionState)
        try container.encode(compressedAt, forKey: .compressedAt)
        try container.encode(messagesJSON, forKey: .messagesJSON)
        try container.encode(summaryText, forKey: .summaryText)
        try container.encodeIfPresent(messages, forKey: .messages)
    }
}

/// The body of `PATCH /api/sessions/:id/pin`.
public struct PinRequest: Codable, Sendable, Hashable {
    /// Whether the session is pinned to the top of lists.
    public var isPinned: Bool

    /// Creates a request.
    public init(isPinned: Bool) { self.isPinned = isPinned }
}

/// The reply of `DELETE /api/sessions/:id`.
public struct DeletedSessionResponse: Codable, Sendable, Hashable {
    /// Always `deleted`.
    public var status: String
    /// The deleted session's id.
    public var id: String

    /// Creates a reply.
    public init(id: String) {
        status = "deleted"
        self.id = id
    }
}

/// A boolean that JSON represents as `true` and `false` or as 1 and 0.
struct BinaryFlag: Decodable {
    let isOn: Bool

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            isOn = value
            return
        }
        guard let number = try? container.decode(Int.self), number == 0 || number == 1 else {
            throw DecodingError.typeMismatch(
                Bool.self, .init(codingPath: decoder.codingPath, debugDescription: "expected true or false"))
        }
        isOn = number == 1
    }
}
