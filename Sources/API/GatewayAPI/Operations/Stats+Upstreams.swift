/// Statistics of the path to Ollama: queue, embeddings and upstreams.
extension StatsResponse {
    /// The state of the admission queue.
    public struct Admission: Codable, Sendable, Hashable {
        /// Requests that Ollama is processing.
        public var inFlight: Int
        /// The maximum number of requests in flight.
        public var maxInFlight: Int
        /// Waiting requests by priority.
        public var waiting: [String: Int]
        /// The maximum number of waiting requests.
        public var maxWaiting: Int
        /// Requests that were admitted.
        public var granted: Int
        /// Requests that were refused.
        public var refused: Int
        /// Requests that were cancelled while they waited.
        public var cancelled: Int
        /// The recent mean service time, in seconds.
        public var meanServiceSeconds: Double?
        /// The `Retry-After` that a refused request would get now, in seconds.
        public var retryAfterSeconds: Int

        /// The JSON field names.
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

    /// Counts of embedding calls.
    public struct EmbeddingLane: Codable, Sendable, Hashable {
        /// Calls in flight.
        public var inFlight: Int
        /// Calls to Ollama.
        public var calls: Int
        /// Texts in those calls.
        public var inputs: Int
        /// Texts answered by a call that another request had started.
        public var shared: Int
        /// Texts that the model refused.
        public var refused: Int

        /// The JSON field names.
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

    /// Counts and size of the embedding cache.
    public struct EmbeddingCache: Codable, Sendable, Hashable {
        /// Texts that were cached.
        public var hits: Int
        /// Texts that were not cached.
        public var misses: Int
        /// Cached vectors.
        public var entries: Int
        /// Bytes of the cached vectors.
        public var bytes: Int
        /// Evicted vectors.
        public var evictions: Int
        /// Whether the cache was switched off after a failure.
        public var isOff: Bool

        /// The JSON field names.
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

    /// The state of one upstream.
    public struct Endpoint: Codable, Sendable, Hashable {
        /// The upstream's name.
        public var name: String
        /// The upstream's address.
        public var url: String
        /// Whether the upstream is healthy and gets requests.
        public var inOrder: Bool
        /// Requests of every kind in flight.
        public var inFlight: Int
        /// The models that are known to be loaded.
        public var loaded: [String]
        /// Why the last probe failed.
        public var reason: String?
        /// The circuit breaker.
        public var breaker: Breaker?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case name, url
            case inOrder = "in_order"
            case inFlight = "in_flight"
            case loaded, reason, breaker
        }

        /// Creates a state.
        public init(
            name: String, url: String, inOrder: Bool, inFlight: Int, loaded: [String], reason: String?,
            breaker: Breaker? = nil
        ) {
            self.name = name
            self.url = url
            self.inOrder = inOrder
            self.inFlight = inFlight
            self.loaded = loaded
            self.reason = reason
            self.breaker = breaker
        }
    }

    /// The circuit breaker of an upstream.
    public struct Breaker: Codable, Sendable, Hashable {
        /// `closed`: it gets requests; `open`: none; `trial`: one, which finds out whether it recovered.
        public var state: String
        /// Since when, in UTC; nil while the breaker was never open.
        public var since: String?
        /// When a trial may begin, in UTC; nil unless the breaker is open.
        public var nextTry: String?
        /// Consecutive failed requests.
        public var failedRequests: Int
        /// Consecutive failed probes.
        public var failedProbes: Int

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case state, since
            case nextTry = "next_try"
            case failedRequests = "failed_requests"
            case failedProbes = "failed_probes"
        }

        /// Creates a state.
        public init(state: String, since: String?, nextTry: String?, failedRequests: Int, failedProbes: Int) {
            self.state = state
            self.since = since
            self.nextTry = nextTry
            self.failedRequests = failedRequests
            self.failedProbes = failedProbes
        }
    }

    /// The availability of Ollama.
    public struct Upstream: Codable, Sendable, Hashable {
        /// Ollama's address.
        public var url: String
        /// Whether Ollama answered the last check.
        public var available: Bool
        /// Ollama's version.
        public var version: String?
        /// The duration of that check, in milliseconds.
        public var latencyMilliseconds: Double
        /// Requests in flight, including those that bypass the queue.
        public var inFlight: Int
        /// Why Ollama is not available.
        public var reason: String?

        /// The JSON field names.
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
