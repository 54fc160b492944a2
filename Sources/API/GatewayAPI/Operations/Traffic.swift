/// What the gateway did in a span of time.
public struct TrafficPoint: Codable, Sendable, Hashable {
    /// When the span began, in UTC.
    public var at: String
    /// Finished requests.
    public var requests: Int
    /// Those with a status of 500 or more.
    public var failed: Int
    /// The mean time to the first token; absent without one.
    public var firstTokenMilliseconds: Double?
    /// The longest time to the first token.
    public var longestFirstTokenMilliseconds: Double?
    /// The mean wait for a place at the upstream; absent without one.
    public var queueMilliseconds: Double?
    /// The longest wait.
    public var longestQueueMilliseconds: Double?
    /// Tokens that models read.
    public var promptTokens: Int
    /// Tokens that models wrote.
    public var generatedTokens: Int
    /// The most memory seen; absent while the gateway did not run.
    public var residentBytes: Int?
    /// The most requests seen in flight; absent while the gateway did not run.
    public var inFlight: Int?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case at
        case requests
        case failed
        case firstTokenMilliseconds = "first_token_ms"
        case longestFirstTokenMilliseconds = "longest_first_token_ms"
        case queueMilliseconds = "queue_ms"
        case longestQueueMilliseconds = "longest_queue_ms"
        case promptTokens = "prompt_tokens"
        case generatedTokens = "generated_tokens"
        case residentBytes = "resident_bytes"
        case inFlight = "in_flight"
    }

    /// Creates it from its fields.
    public init(
        at: String, requests: Int, failed: Int, firstTokenMilliseconds: Double? = nil,
        longestFirstTokenMilliseconds: Double? = nil, queueMilliseconds: Double? = nil,
        longestQueueMilliseconds: Double? = nil, promptTokens: Int, generatedTokens: Int, residentBytes: Int? = nil,
        inFlight: Int? = nil
    ) {
        self.at = at
        self.requests = requests
        self.failed = failed
        self.firstTokenMilliseconds = firstTokenMilliseconds
        self.longestFirstTokenMilliseconds = longestFirstTokenMilliseconds
        self.queueMilliseconds = queueMilliseconds
        self.longestQueueMilliseconds = longestQueueMilliseconds
        self.promptTokens = promptTokens
        self.generatedTokens = generatedTokens
        self.residentBytes = residentBytes
        self.inFlight = inFlight
    }
}

/// The reply of `GET /api/admin/traffic`.
public struct TrafficResponse: Codable, Sendable, Hashable {
    /// `hour` or `day`.
    public var span: String
    /// The length of a point's span.
    public var secondsPerPoint: Int
    /// One point for each span, the oldest first; the last one is not over.
    public var points: [TrafficPoint]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case span
        case secondsPerPoint = "seconds_per_point"
        case points
    }

    /// Creates it from its fields.
    public init(
        span: String, secondsPerPoint: Int, points: [TrafficPoint]
    ) {
        self.span = span
        self.secondsPerPoint = secondsPerPoint
        self.points = points
    }
}
