/// What a page knows of its sign-in: the reply of `GET` and `POST /web/session`.
public struct WebSessionStatus: Codable, Sendable, Hashable {
    /// The key of a session.
    public struct Key: Codable, Sendable, Hashable {
        /// The key's name.
        public var name: String
        /// What the key allows.
        public var scopes: [String]
        /// The models that it allows; empty for any.
        public var models: [String]
        /// The maximum number of requests per minute; nil for no limit.
        public var requestsPerMinute: Int?
        /// The maximum number of tokens per UTC day; nil for no limit.
        public var tokensPerDay: Int?
        /// When the key expires, in ISO 8601; nil for never.
        public var expiresAt: String?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case name, scopes, models
            case requestsPerMinute = "requests_per_minute"
            case tokensPerDay = "tokens_per_day"
            case expiresAt = "expires_at"
        }

        /// Creates a key.
        public init(
            name: String, scopes: [String], models: [String] = [], requestsPerMinute: Int? = nil,
            tokensPerDay: Int? = nil, expiresAt: String? = nil
        ) {
            self.name = name
            self.scopes = scopes
            self.models = models
            self.requestsPerMinute = requestsPerMinute
            self.tokensPerDay = tokensPerDay
            self.expiresAt = expiresAt
        }
    }

    /// Whether the browser has a session.
    public var signedIn: Bool
    /// Whether requests need a key or a session; false on a loopback gateway without keys.
    public var needsKey: Bool
    /// The session's key; `null` without a session.
    public var key: Key?
    /// Whether the browser uses HTTPS, as far as the gateway knows.
    public var secure: Bool
    /// When the session ends unless it is used again, in ISO 8601; `null` without a session.
    public var expiresAt: String?
    /// Whether the gateway has a certificate authority of its own, whose certificate `GET /ca` offers.
    public var hasAuthority: Bool

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case signedIn = "signed_in"
        case needsKey = "needs_key"
        case key, secure
        case expiresAt = "expires_at"
        case hasAuthority = "has_authority"
    }

    /// Creates a status.
    public init(
        signedIn: Bool, needsKey: Bool, key: Key?, secure: Bool, expiresAt: String?, hasAuthority: Bool = false
    ) {
        self.signedIn = signedIn
        self.needsKey = needsKey
        self.key = key
        self.secure = secure
        self.expiresAt = expiresAt
        self.hasAuthority = hasAuthority
    }

    /// Writes absent values as `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(signedIn, forKey: .signedIn)
        try container.encode(needsKey, forKey: .needsKey)
        try container.encode(key, forKey: .key)
        try container.encode(secure, forKey: .secure)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(hasAuthority, forKey: .hasAuthority)
    }
}

/// The body of `POST /web/session`: a key or a pairing code.
public struct SignInRequest: Codable, Sendable, Hashable {
    /// A key, or `SELENE_API_TOKEN`.
    public var key: String?
    /// A pairing code.
    public var code: String?
    /// The secret of the device's own pairing request; absent for a code that another device offered.
    public var poll: String?

    /// Creates a request.
    public init(key: String? = nil, code: String? = nil, poll: String? = nil) {
        self.key = key
        self.code = code
        self.poll = poll
    }
}

/// A browser session in a list.
public struct WebSession: Codable, Sendable, Hashable {
    /// The session's id.
    public var id: Int64
    /// The name of the session's key.
    public var name: String
    /// The browser's name for itself, shortened.
    public var userAgent: String
    /// When the session was opened, in ISO 8601.
    public var createdAt: String
    /// When the session was last used, in ISO 8601, accurate to a minute.
    public var lastUsedAt: String
    /// Whether the request used this session.
    public var isThis: Bool

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, name
        case userAgent = "user_agent"
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
        case isThis = "is_this"
    }

    /// Creates a session.
    public init(
        id: Int64, name: String, userAgent: String, createdAt: String, lastUsedAt: String, isThis: Bool = false
    ) {
        self.id = id
        self.name = name
        self.userAgent = userAgent
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.isThis = isThis
    }
}

/// The reply of `GET /web/sessions`.
public struct WebSessionsResponse: Codable, Sendable, Hashable {
    /// The sessions, latest use first.
    public var sessions: [WebSession]

    /// Creates a reply.
    public init(sessions: [WebSession]) { self.sessions = sessions }
}
