/// The reply of `GET /health`, which needs no key and does not depend on Ollama.
public struct HealthResponse: Codable, Sendable, Hashable {
    /// `ok` while the gateway serves.
    public var status: String
    /// The server's clock, ISO 8601 in UTC.
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

/// The reply of `GET /api/llm/health`: 200 whether or not Ollama answers.
public struct LLMHealthResponse: Codable, Sendable, Hashable {
    /// Whether Ollama answered.
    public var available: Bool
    /// Ollama's version.
    public var version: String?
    /// The names of the models that it holds.
    public var models: [String]
    /// The round trip to Ollama, in milliseconds.
    public var latencyMilliseconds: Double
    /// Why Ollama is not available.
    public var reason: String?

    /// Each upstream by itself, when there are several.
    public var upstreams: [Upstream]?

    /// One Ollama of several.
    public struct Upstream: Codable, Sendable, Hashable {
        /// Its name in the configuration.
        public var name: String
        /// Whether requests go there.
        public var available: Bool
        /// Requests that it has now.
        public var inFlight: Int
        /// The models in its memory.
        public var loaded: [String]
        /// Why the last look at it failed.
        public var reason: String?

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case name, available, loaded, reason
            case inFlight = "in_flight"
        }

        /// Creates a line.
        public init(name: String, available: Bool, inFlight: Int, loaded: [String], reason: String? = nil) {
            self.name = name
            self.available = available
            self.inFlight = inFlight
            self.loaded = loaded
            self.reason = reason
        }
    }

    /// The names on the wire.
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
