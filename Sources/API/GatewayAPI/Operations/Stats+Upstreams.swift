/// The way to Ollama: the queue, embeddings and upstreams.
extension StatsResponse {
    /// The queue.
    public struct Admission: Codable, Sendable, Hashable {
        /// Requests that Ollama has.
        public var inFlight: Int
        /// The most that it has at once.
        public var maxInFlight: Int
        /// Requests that wait, by priority.
        public var waiting: [String: Int]
        /// The most that wait.
        public var maxWaiting: Int
        /// Requests that got a place.
        public var granted: Int
        /// Requests that were turned away.
        public var refused: Int
        /// Requests that left while they waited.
        public var cancelled: Int
        /// The mean time of service lately, in seconds.
        public var meanServiceSeconds: Double?
        /// The `Retry-After` of a refusal now, in seconds.
        public var retryAfterSeconds: Int

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case inFlight = "in_flight"
            case maxInFlight = "max_in_flight"
            case waiting
            case maxWaiting = "max_waiting"
            case granted, refused, cancelled
            case meanServiceSeconds = "mean_service_seconds"
            case retryAfterSeconds = "retry_after_seconds"
        }

        /// Creates a queue's state.
        public init(
            inFlight: Int, maxInFlight: Int, waiting: [String: Int], maxWaiting: Int, granted: Int, refused: Int,
            cancelled: Int, meanServiceSeconds: Double?, retryAfterSeconds: Int
        ) {
            self.inFlight = inFlight
            self.maxInFlight = maxInFlight
            self.waiting = waiting
            self.maxWaiting = maxWaiting
            self.granted = granted
            self.refused = refused
            self.cancelled = cancelled
            self.meanServiceSeconds = meanServiceSeconds
            self.retryAfterSeconds = retryAfterSeconds
        }
    }

    /// Calls for embeddings.
    public struct EmbeddingLane: Codable, Sendable, Hashable {
        /// Calls that have not ended.
        public var inFlight: Int
        /// Calls to Ollama.
        public var calls: Int
        /// Texts in them.
        public var inputs: Int
        /// Texts that a call answered which another request had begun.
        public var shared: Int
        /// Texts that the model refused.
        public var refused: Int

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case inFlight = "in_flight"
            case calls, inputs, shared, refused
        }

        /// Creates counts.
        public init(inFlight: Int, calls: Int, inputs: Int, shared: Int, refused: Int) {
            self.inFlight = inFlight
            self.calls = calls
            self.inputs = inputs
            self.shared = shared
            self.refused = refused
        }
    }

    /// Embeddings that were had before.
    public struct EmbeddingCache: Codable, Sendable, Hashable {
        /// Texts that were there.
        public var hits: Int
        /// Texts that were not.
        public var misses: Int
        /// Vectors.
        public var entries: Int
        /// Their bytes.
        public var bytes: Int
        /// Vectors that made room for others.
        public var evictions: Int
        /// Whether the file was given up after a failure.
        public var isOff: Bool

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case hits, misses, entries, bytes, evictions
            case isOff = "is_off"
        }

        /// Creates counts.
        public init(hits: Int, misses: Int, entries: Int, bytes: Int, evictions: Int, isOff: Bool) {
            self.hits = hits
            self.misses = misses
            self.entries = entries
            self.bytes = bytes
            self.evictions = evictions
            self.isOff = isOff
        }
    }

    /// One upstream.
    public struct Endpoint: Codable, Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Where it is.
        public var url: String
        /// Whether requests go there.
        public var inOrder: Bool
        /// Requests that it has, of every kind.
        public var inFlight: Int
        /// The models in its memory, as far as is known.
        public var loaded: [String]
        /// Why it was not to be reached last time.
        public var reason: String?

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case name, url
            case inOrder = "in_order"
            case inFlight = "in_flight"
            case loaded, reason
        }

        /// Creates a state.
        public init(name: String, url: String, inOrder: Bool, inFlight: Int, loaded: [String], reason: String?) {
            self.name = name
            self.url = url
            self.inOrder = inOrder
            self.inFlight = inFlight
            self.loaded = loaded
            self.reason = reason
        }
    }

    /// Ollama.
    public struct Upstream: Codable, Sendable, Hashable {
        /// Where it is.
        public var url: String
        /// Whether it answered a moment ago.
        public var available: Bool
        /// Its version.
        public var version: String?
        /// How long that answer took, in milliseconds.
        public var latencyMilliseconds: Double
        /// Requests that it has, those that need no place of the queue too.
        public var inFlight: Int
        /// Why it is not available.
        public var reason: String?

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case url, available, version
            case latencyMilliseconds = "latency_ms"
            case inFlight = "in_flight"
            case reason
        }

        /// Creates a state.
        public init(
            url: String, available: Bool, version: String?, latencyMilliseconds: Double, inFlight: Int, reason: String?
        ) {
            self.url = url
            self.available = available
            self.version = version
            self.latencyMilliseconds = latencyMilliseconds
            self.inFlight = inFlight
            self.reason = reason
        }
    }
}
