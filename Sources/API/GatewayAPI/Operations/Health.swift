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

/// The reply of `GET /ready`, with status 200 or 503; it needs no key.
public struct ReadyResponse: Codable, Sendable, Hashable {
    /// `ready`, or `not ready` when a check fails.
    public var status: String
    /// The parts that have to work: `store`, `index` and `upstream`.
    public var checks: [Check]

    /// One part of the gateway.
    public struct Check: Codable, Sendable, Hashable {
        /// The part.
        public var name: String
        /// Whether it works.
        public var ready: Bool
        /// Why it does not.
        public var reason: String?

        /// Creates a check.
        public init(name: String, ready: Bool, reason: String? = nil) {
            self.name = name
            self.ready = ready
            self.reason = reason
        }
    }

    /// Creates a reply.
    public init(status: String, checks: [Check]) {
        self.status = status
        self.checks = checks
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
