/// The reply of `GET /health`, which needs neither a key nor Ollama.
public struct HealthResponse: Codable, Sendable, Hashable {
    /// `ok` while the gateway serves.
    public var status: String
    /// The server's time, ISO 8601 in UTC.
    public var timestamp: String
    /// The gateway's version.
    public var version: String

    /// Creates a reply.
    public init(status: String, timestamp: String, version: String) {
        self.status = status
        self.timestamp = timestamp
        self.version = version
    }
}

/// The reply of `GET /api/llm/health`: status 200 whether or not Ollama answers.
public struct LLMHealthResponse: Codable, Sendable, Hashable {
    /// Whether Ollama answered.
    public var available: Bool
    /// Ollama's version.
    public var version: String?
    /// The names of the installed models.
    public var models: [String]
    /// The round trip to Ollama, in milliseconds.
    public var latencyMilliseconds: Double
    /// Why Ollama is not available.
    public var reason: String?

    /// The state of each upstream, when there are several.
    public var upstreams: [Upstream]?

    /// The state of one of several upstreams.
    public struct Upstream: Codable, Sendable, Hashable {
        /// The upstream's name in the configuration.
        public var name: String
        /// Whether the upstream is healthy and gets requests.
        public var available: Bool
        /// Requests in flight.
        public var inFlight: Int
        /// The loaded models.
        public var loaded: [String]
        /// Why the last probe failed.
        public var reason: String?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case name, available, loaded, reason
            case inFlight = "in_flight"
        }

        /// Creates a state.
        public init(name: String, available: Bool, inFlight: Int, loaded: [String], reason: String? = nil) {
            self.name = name
            self.available = available
            self.inFlight = inFlight
            self.loaded = loaded
            self.reason = reason
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case available, version, models
        case latencyMilliseconds = "latency_ms"
        case reason, upstreams
    }

    /// Creates a reply.
    public init(
        available: Bool, version: String?, models: [String], latencyMilliseconds: Double, reason: String? = nil,
        upstreams: [Upstream]? = nil
    ) {
        self.upstreams = upstreams
        self.available = available
        self.version = version
        self.models = models
        self.latencyMilliseconds = latencyMilliseconds
        self.reason = reason
    }
}
