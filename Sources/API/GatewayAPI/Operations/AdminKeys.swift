/// A key of a client, with its rights, limits and use.
public struct AdminKey: Codable, Sendable, Hashable {
    /// The key's id.
    public var id: Int64
    /// The key's name.
    public var name: String
    /// The first characters of the key, or of the fingerprint of one with which the client signs.
    public var prefix: String
    /// How the client hands over the key: `header`, `path` (a header, or in front of a path), `signature` (it signs its
    /// requests), or `session` (a paired device).
    public var kind: String
    /// The scopes.
    public var scopes: [String]
    /// The models that the key may use; empty for any.
    public var models: [String]
    /// When the key ends, `YYYY-MM-DD HH:MM:SS` in UTC; nil for never.
    public var expiresAt: String?
    /// The maximum number of requests a minute; nil for no limit.
    public var requestsPerMinute: Int?
    /// The maximum number of prompt and answer tokens a UTC day; nil for no limit.
    public var tokensPerDay: Int?
    /// The maximum number of requests that a provider of models answers at once; nil for no limit.
    public var requestsAtOnce: Int?
    /// What the key may spend in a UTC month, in ``currency``; nil for no limit.
    public var budgetPerMonth: Double?
    /// Whose requests go first: `low`, `normal` or `high`.
    public var priority: String
    /// The currency of the price list; nil when there is none.
    public var currency: String?
    /// When the key was created, in UTC.
    public var createdAt: String
    /// When the key was last used; nil when never.
    public var lastUsedAt: String?
    /// The use by day, newest first: today in lists, 30 days for one key. Days without a request are left out.
    public var usage: [Day]
    /// The key itself, only in the reply that creates it.
    public var key: String?
    /// The id of the key that made this one, by pairing or through this API; this key ends with it.
    public var parent: Int64?
    /// The name of the key that made this one.
    public var parentName: String?
    /// The names of the live keys that this one made, and those made.
    public var children: [String]

    /// The use of a key on a day in UTC.
    public struct Day: Codable, Sendable, Hashable {
        /// The day, `YYYY-MM-DD`.
        public var day: String
        /// Requests, with those that were refused.
        public var requests: Int
        /// Requests that the key's limits refused.
        public var refused: Int
        /// Tokens that models read.
        public var promptTokens: Int
        /// Tokens that models wrote.
        public var completionTokens: Int
        /// What they cost; nil without a price list.
        public var cost: Double?
        /// What they would have cost at the service that the price list names for comparison; nil when it names none.
        public var costElsewhere: Double?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case day, requests, refused, cost
            case costElsewhere = "cost_elsewhere"
            case promptTokens = "prompt_tokens"
            case completionTokens = "completion_tokens"
        }

        /// Creates it from its fields.
        public init(
            day: String, requests: Int, refused: Int, promptTokens: Int, completionTokens: Int, cost: Double? = nil,
            costElsewhere: Double? = nil
        ) {
            (self.day, self.requests, self.refused) = (day, requests, refused)
            (self.promptTokens, self.completionTokens) = (promptTokens, completionTokens)
            (self.cost, self.costElsewhere) = (cost, costElsewhere)
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, name, prefix, kind, scopes, models, usage, key, parent, children, priority, currency
        case parentName = "parent_name"
        case expiresAt = "expires_at"
        case requestsPerMinute = "requests_per_minute"
        case tokensPerDay = "tokens_per_day"
        case requestsAtOnce = "requests_at_once"
        case budgetPerMonth = "budget_per_month"
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
    }

    /// Creates it from its fields.
    public init(
        id: Int64, name: String, prefix: String, kind: String, scopes: [String], models: [String], expiresAt: String?,
        requestsPerMinute: Int?, tokensPerDay: Int?, requestsAtOnce: Int? = nil, budgetPerMonth: Double? = nil,
        priority: String = "normal", currency: String? = nil, createdAt: String, lastUsedAt: String?, usage: [Day],
        key: String? = nil, parent: Int64? = nil, parentName: String? = nil, children: [String] = []
    ) {
        (self.id, self.name, self.prefix, self.kind) = (id, name, prefix, kind)
        (self.scopes, self.models) = (scopes, models)
        (self.expiresAt, self.requestsPerMinute, self.tokensPerDay) = (expiresAt, requestsPerMinute, tokensPerDay)
        (self.requestsAtOnce, self.budgetPerMonth) = (requestsAtOnce, budgetPerMonth)
        (self.priority, self.currency) = (priority, currency)
        (self.createdAt, self.lastUsedAt, self.usage, self.key) = (createdAt, lastUsedAt, usage, key)
        (self.parent, self.parentName, self.children) = (parent, parentName, children)
    }
}

/// The reply of `GET /api/admin/keys`.
public struct AdminKeyList: Codable, Sendable, Hashable {
    /// The keys that are not revoked, by id.
    public var keys: [AdminKey]
    /// The start of the next page; nil on the last one.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case keys
        case nextCursor = "next_cursor"
    }

    /// Creates it from its fields.
    public init(keys: [AdminKey], nextCursor: String?) { (self.keys, self.nextCursor) = (keys, nextCursor) }
}

/// The body of `POST /api/admin/keys`.
public struct NewAdminKey: Codable, Sendable, Hashable {
    /// What the key is for.
    public var name: String
    /// The scopes; `llm`, `notes:read` and `notes:write` when absent.
    public var scopes: [String]?
    /// The models that the key may use; any when absent or empty.
    public var models: [String]?
    /// The end: `30d` or `12h` from now, a date, or `never`; never when absent.
    public var expires: String?
    /// The maximum number of requests a minute.
    public var requestsPerMinute: Int?
    /// The maximum number of tokens a day.
    public var tokensPerDay: Int?
    /// The maximum number of requests that a provider of models answers at once.
    public var requestsAtOnce: Int?
    /// What the key may spend in a UTC month, in the currency of the price list.
    public var budgetPerMonth: Double?
    /// Whose requests go first: `low`, `normal` or `high`; `normal` when absent.
    public var priority: String?
    /// Whether the key may stand in front of a path: `/k/KEY/api/tags`; false when absent.
    public var inPath: Bool?
    /// The public half of a key of the client's own, `ssh-ed25519 …`: the client signs its requests, so there is no key to send.
    public var publicKey: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case name, scopes, models, expires, priority
        case inPath = "in_path"
        case publicKey = "public_key"
        case requestsPerMinute = "requests_per_minute"
        case tokensPerDay = "tokens_per_day"
        case requestsAtOnce = "requests_at_once"
        case budgetPerMonth = "budget_per_month"
    }

    /// Creates a request.
    public init(
        name: String, scopes: [String]? = nil, models: [String]? = nil, expires: String? = nil,
        requestsPerMinute: Int? = nil, tokensPerDay: Int? = nil, requestsAtOnce: Int? = nil,
        budgetPerMonth: Double? = nil, priority: String? = nil, inPath: Bool? = nil, publicKey: String? = nil
    ) {
        (self.name, self.scopes, self.models, self.expires) = (name, scopes, models, expires)
        (self.requestsAtOnce, self.budgetPerMonth, self.priority) = (requestsAtOnce, budgetPerMonth, priority)
        (self.requestsPerMinute, self.tokensPerDay) = (requestsPerMinute, tokensPerDay)
        (self.inPath, self.publicKey) = (inPath, publicKey)
    }
}

/// The body of `PATCH /api/admin/keys/:id`: absent fields keep their values, `null` removes a limit.
public struct AdminKeyChange: Codable, Sendable, Hashable {
    /// The scopes.
    public var scopes: [String]?
    /// The models; empty for any.
    public var models: [String]?
    /// The end: `30d`, `12h`, a date, or `never`.
    public var expires: String?
    /// The maximum number of requests a minute.
    public var requestsPerMinute: FieldUpdate<Int>
    /// The maximum number of tokens a day.
    public var tokensPerDay: FieldUpdate<Int>
    /// The maximum number of requests that a provider of models answers at once.
    public var requestsAtOnce: FieldUpdate<Int>
    /// What the key may spend in a UTC month.
    public var budgetPerMonth: FieldUpdate<Double>
    /// Whose requests go first: `low`, `normal` or `high`.
    public var priority: String?

    /// Creates a change.
    public init(
        scopes: [String]? = nil, models: [String]? = nil, expires: String? = nil,
        requestsPerMinute: FieldUpdate<Int> = .keep, tokensPerDay: FieldUpdate<Int> = .keep,
        requestsAtOnce: FieldUpdate<Int> = .keep, budgetPerMonth: FieldUpdate<Double> = .keep, priority: String? = nil
    ) {
        (self.scopes, self.models, self.expires) = (scopes, models, expires)
        (self.requestsAtOnce, self.budgetPerMonth, self.priority) = (requestsAtOnce, budgetPerMonth, priority)
        (self.requestsPerMinute, self.tokensPerDay) = (requestsPerMinute, tokensPerDay)
    }

    /// Decodes a change.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: NewAdminKey.CodingKeys.self)
        scopes = try fields.decodeIfPresent([String].self, forKey: .scopes)
        models = try fields.decodeIfPresent([String].self, forKey: .models)
        expires = try fields.decodeIfPresent(String.self, forKey: .expires)
        requestsPerMinute = try fields.update(Int.self, forKey: .requestsPerMinute)
        tokensPerDay = try fields.update(Int.self, forKey: .tokensPerDay)
        requestsAtOnce = try fields.update(Int.self, forKey: .requestsAtOnce)
        budgetPerMonth = try fields.update(Double.self, forKey: .budgetPerMonth)
        priority = try fields.decodeIfPresent(String.self, forKey: .priority)
    }

    /// Encodes what changes.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: NewAdminKey.CodingKeys.self)
        try fields.encodeIfPresent(scopes, forKey: .scopes)
        try fields.encodeIfPresent(models, forKey: .models)
        try fields.encodeIfPresent(expires, forKey: .expires)
        try fields.encode(requestsPerMinute, forKey: .requestsPerMinute)
        try fields.encode(tokensPerDay, forKey: .tokensPerDay)
        try fields.encode(requestsAtOnce, forKey: .requestsAtOnce)
        try fields.encode(budgetPerMonth, forKey: .budgetPerMonth)
        try fields.encodeIfPresent(priority, forKey: .priority)
    }
}
