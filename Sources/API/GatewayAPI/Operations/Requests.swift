/// A finished request of the log. It has no bodies, no queries and no keys.
public struct LoggedRequest: Codable, Sendable, Hashable {
    /// The row's id; ids only grow.
    public var id: Int64
    /// When it ended, in UTC with milliseconds.
    public var at: String
    /// The method.
    public var method: String
    /// The pattern of its route; `other` for a path without one.
    public var route: String
    /// The path without its query.
    public var path: String
    /// The status; 499 when the client left before one was sent.
    public var status: Int
    /// The phase in which it ended: `done` for a complete one, or `receiving`, `queued`, `waiting`, `streaming`.
    public var phase: String
    /// The row of the caller's key.
    public var keyID: Int64?
    /// The caller's name.
    public var key: String?
    /// The model that was asked for.
    public var model: String?
    /// The upstream, where there are several.
    public var upstream: String?
    /// The code of the error that the client got.
    public var error: String?
    /// The id of the request in logs and replies.
    public var requestID: String
    /// True when the client left before the end.
    public var isCancelled: Bool?
    /// True when the upstream failed after the response had begun.
    public var isBroken: Bool?
    /// The wait for a place at the upstream.
    public var queueMilliseconds: Double?
    /// From the place to the first byte of the upstream's answer.
    public var firstTokenMilliseconds: Double?
    /// From the head of the request to its end.
    public var totalMilliseconds: Double
    /// Tokens that the model read.
    public var promptTokens: Int?
    /// Tokens that the model wrote.
    public var generatedTokens: Int?
    /// Bytes of the request's body.
    public var requestBytes: Int
    /// Bytes of the response's body.
    public var responseBytes: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id
        case at
        case method
        case route
        case path
        case status
        case phase
        case keyID = "key_id"
        case key
        case model
        case upstream
        case error
        case requestID = "request_id"
        case isCancelled = "cancelled"
        case isBroken = "broken"
        case queueMilliseconds = "queue_ms"
        case firstTokenMilliseconds = "first_token_ms"
        case totalMilliseconds = "total_ms"
        case promptTokens = "prompt_tokens"
        case generatedTokens = "generated_tokens"
        case requestBytes = "request_bytes"
        case responseBytes = "response_bytes"
    }

    /// Creates it from its fields.
    public init(
        id: Int64, at: String, method: String, route: String, path: String, status: Int, phase: String,
        keyID: Int64? = nil, key: String? = nil, model: String? = nil, upstream: String? = nil, error: String? = nil,
        requestID: String, isCancelled: Bool? = nil, isBroken: Bool? = nil, queueMilliseconds: Double? = nil,
        firstTokenMilliseconds: Double? = nil, totalMilliseconds: Double, promptTokens: Int? = nil,
        generatedTokens: Int? = nil, requestBytes: Int, responseBytes: Int
    ) {
        self.id = id
        self.at = at
        self.method = method
        self.route = route
        self.path = path
        self.status = status
        self.phase = phase
        self.keyID = keyID
        self.key = key
        self.model = model
        self.upstream = upstream
        self.error = error
        self.requestID = requestID
        self.isCancelled = isCancelled
        self.isBroken = isBroken
        self.queueMilliseconds = queueMilliseconds
        self.firstTokenMilliseconds = firstTokenMilliseconds
        self.totalMilliseconds = totalMilliseconds
        self.promptTokens = promptTokens
        self.generatedTokens = generatedTokens
        self.requestBytes = requestBytes
        self.responseBytes = responseBytes
    }
}

/// The reply of `GET /api/requests`.
public struct RequestLogPage: Codable, Sendable, Hashable {
    /// The requests, the latest first.
    public var requests: [LoggedRequest]
    /// The start of the next page. A page may be short and still have a next one.
    public var nextCursor: String?
    /// Days that requests are kept (SELENE_REQUEST_LOG_DAYS).
    public var days: Int
    /// Requests that were not stored since the start, because too many ended at once or the file failed.
    public var dropped: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case requests
        case nextCursor = "next_cursor"
        case days
        case dropped
    }

    /// Creates it from its fields.
    public init(
        requests: [LoggedRequest], nextCursor: String? = nil, days: Int, dropped: Int
    ) {
        self.requests = requests
        self.nextCursor = nextCursor
        self.days = days
        self.dropped = dropped
    }
}

/// A request in flight.
public struct RequestInFlight: Codable, Sendable, Hashable {
    /// The number of the request, for cancelling it.
    public var id: String
    /// The method.
    public var method: String
    /// The pattern of its route.
    public var route: String
    /// The path without its query.
    public var path: String
    /// `receiving`, `queued`, `waiting` for the first byte, or `streaming`.
    public var phase: String
    /// While it is queued: its position in the queue, 1 for next.
    public var place: Int?
    /// The row of the caller's key.
    public var keyID: Int64?
    /// The caller's name.
    public var key: String?
    /// The model, once it is known.
    public var model: String?
    /// The upstream that it was sent to.
    public var upstream: String?
    /// The id of the request in logs and replies.
    public var requestID: String
    /// How long it lasts already.
    public var ageMilliseconds: Double
    /// From the place to the first byte of the upstream's answer.
    public var firstTokenMilliseconds: Double?
    /// Tokens of the answer so far, where the gateway counts them as they pass.
    public var generatedTokens: Int?
    /// Tokens a second since the first byte.
    public var tokensPerSecond: Double?
    /// Bytes of the answer so far.
    public var responseBytes: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id
        case method
        case route
        case path
        case phase
        case place
        case keyID = "key_id"
        case key
        case model
        case upstream
        case requestID = "request_id"
        case ageMilliseconds = "age_ms"
        case firstTokenMilliseconds = "first_token_ms"
        case generatedTokens = "generated_tokens"
        case tokensPerSecond = "tokens_per_second"
        case responseBytes = "response_bytes"
    }

    /// Creates it from its fields.
    public init(
        id: String, method: String, route: String, path: String, phase: String, place: Int? = nil, keyID: Int64? = nil,
        key: String? = nil, model: String? = nil, upstream: String? = nil, requestID: String, ageMilliseconds: Double,
        firstTokenMilliseconds: Double? = nil, generatedTokens: Int? = nil, tokensPerSecond: Double? = nil,
        responseBytes: Int
    ) {
        self.id = id
        self.method = method
        self.route = route
        self.path = path
        self.phase = phase
        self.place = place
        self.keyID = keyID
        self.key = key
        self.model = model
        self.upstream = upstream
        self.requestID = requestID
        self.ageMilliseconds = ageMilliseconds
        self.firstTokenMilliseconds = firstTokenMilliseconds
        self.generatedTokens = generatedTokens
        self.tokensPerSecond = tokensPerSecond
        self.responseBytes = responseBytes
    }
}

/// The reply of `GET /api/requests/live`.
public struct LiveRequestList: Codable, Sendable, Hashable {
    /// The requests in flight, oldest first, at most 200; without this one.
    public var requests: [RequestInFlight]
    /// All requests in flight, without this one.
    public var total: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case requests
        case total
    }

    /// Creates it from its fields.
    public init(
        requests: [RequestInFlight], total: Int
    ) {
        self.requests = requests
        self.total = total
    }
}

/// The reply of `DELETE /api/requests/live/:id`.
public struct RequestCancellation: Codable, Sendable, Hashable {
    /// The number of the request.
    public var id: String
    /// `cancelling`.
    public var status: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id
        case status
    }

    /// Creates it from its fields.
    public init(
        id: String, status: String
    ) {
        self.id = id
        self.status = status
    }
}
