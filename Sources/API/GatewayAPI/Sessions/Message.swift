/// A message of a conversation.
public struct Message: Codable, Sendable, Hashable {
    /// The row id in the database.
    public var id: Int64
    /// The session's id.
    public var sessionID: String
    /// `user` or `assistant`.
    public var role: String
    /// The text of the message.
    public var content: String
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String?
    /// The message that this one follows; absent for the first, and for messages that the gateway did not write.
    public var parent: Int64?
    /// The run that wrote this answer; absent for other messages.
    public var run: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id
        case sessionID = "session_id"
        case role, content
        case createdAt = "created_at"
        case parent = "parent_id"
        case run
    }

    /// Creates a message.
    public init(
        id: Int64, sessionID: String, role: String, content: String, createdAt: String? = nil, parent: Int64? = nil,
        run: String? = nil
    ) {
        self.id = id
        self.sessionID = sessionID
        self.role = role
        self.content = content
        self.createdAt = createdAt
        self.parent = parent
        self.run = run
    }
}

/// The body of `POST /api/sessions/:id/messages`.
public struct NewMessage: Codable, Sendable, Hashable {
    /// `user` or `assistant`.
    public var role: String
    /// The text of the message; not empty.
    public var content: String

    /// Creates a message.
    public init(role: String, content: String) {
        self.role = role
        self.content = content
    }
}

/// The order of `GET /api/sessions/:id/messages`.
public enum MessageOrder: String, Codable, Sendable, Hashable, CaseIterable {
    /// By time, the first message first.
    case oldest
    /// The message that was stored last first.
    case newest
}

/// The reply of `GET /api/sessions/:id/messages` and of `GET /api/messages/recent` (newest first).
public struct MessagesResponse: Codable, Sendable, Hashable {
    /// The session's id; absent in lists over all sessions.
    public var sessionId: String?
    /// The number of messages in this reply.
    public var count: Int
    /// The messages.
    public var messages: [Message]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case sessionId, count, messages
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(sessionId: String? = nil, messages: [Message], nextCursor: String? = nil) {
        self.sessionId = sessionId
        count = messages.count
        self.messages = messages
        self.nextCursor = nextCursor
    }
}
