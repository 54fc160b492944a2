/// The reply of `GET /api/admin/stats`: how the gateway stands now, and what it did since it was started.
public struct StatsResponse: Codable, Sendable, Hashable {
    /// The gateway's version.
    public var version: String
    /// Seconds since it was started.
    public var uptimeSeconds: Double
    /// What was asked of it.
    public var requests: Requests
    /// Tokens, where the gateway read Ollama's answer.
    public var tokens: Tokens
    /// The queue for Ollama.
    public var admission: Admission
    /// Calls for embeddings.
    public var embeddingLane: EmbeddingLane
    /// Embeddings that were had before; absent without a cache.
    public var embeddingCache: EmbeddingCache?
    /// Keys that are not revoked, with their use today (UTC).
    public var keys: [Key]
    /// Ollama.
    public var upstream: Upstream
    /// Each upstream by itself.
    public var upstreams: [Endpoint]
    /// The notes in the index; absent while it cannot be read.
    public var index: Index?
    /// What the process takes.
    public var process: Process
    /// Connections of clients.
    public var connections: Connections
    /// Bodies of requests; nil from a gateway of an earlier version.
    public var bodies: Bodies?
    /// Lines of the log that nobody took, and were dropped.
    public var droppedLogLines: Int

    /// Counts of requests.
    public struct Requests: Codable, Sendable, Hashable {
        /// Those that ended.
        public var total: Int
        /// Those of them with a status of 500 and more.
        public var failed: Int
        /// Those of them whose client left.
        public var cancelled: Int
        /// Those that have not ended.
        public var inFlight: Int

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case total, failed, cancelled
            case inFlight = "in_flight"
        }

        /// Creates counts.
        public init(total: Int, failed: Int, cancelled: Int, inFlight: Int) {
            self.total = total
            self.failed = failed
            self.cancelled = cancelled
            self.inFlight = inFlight
        }
    }

    /// Counts of tokens.
    public struct Tokens: Codable, Sendable, Hashable {
        /// Those that models read.
        public var prompt: Int
        /// Those that they wrote.
        public var generated: Int

        /// Creates counts.
        public init(prompt: Int, generated: Int) {
            self.prompt = prompt
            self.generated = generated
        }
    }

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

    /// A key and its use today.
    public struct Key: Codable, Sendable, Hashable {
        /// Its id.
        public var id: Int64
        /// Its name.
        public var name: String
        /// Requests today.
        public var requests: Int
        /// Those of them that its terms refused.
        public var refused: Int
        /// Tokens today.
        public var tokens: Int
        /// When it was last used.
        public var lastUsedAt: String?

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case id, name, requests, refused, tokens
            case lastUsedAt = "last_used_at"
        }

        /// Creates a key's use.
        public init(id: Int64, name: String, requests: Int, refused: Int, tokens: Int, lastUsedAt: String?) {
            self.id = id
            self.name = name
            self.requests = requests
            self.refused = refused
            self.tokens = tokens
            self.lastUsedAt = lastUsedAt
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

    /// The notes in the index.
    public struct Index: Codable, Sendable, Hashable {
        /// Notes.
        public var notes: Int
        /// Notes with a vector.
        public var embeddedNotes: Int
        /// Vectors, one for each passage.
        public var vectors: Int
        /// Bytes of the vectors, compressed ones included.
        public var vectorBytes: Int
        /// Bytes of the text and its postings.
        public var textBytes: Int
        /// The model of the space; absent before the first backfill.
        public var model: String?

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case notes
            case embeddedNotes = "embedded_notes"
            case vectors
            case vectorBytes = "vector_bytes"
            case textBytes = "text_bytes"
            case model
        }

        /// Creates a state.
        public init(
            notes: Int, embeddedNotes: Int, vectors: Int, vectorBytes: Int, textBytes: Int, model: String?
        ) {
            self.notes = notes
            self.embeddedNotes = embeddedNotes
            self.vectors = vectors
            self.vectorBytes = vectorBytes
            self.textBytes = textBytes
            self.model = model
        }
    }

    /// The process.
    public struct Process: Codable, Sendable, Hashable {
        /// Resident memory; absent where the system does not tell.
        public var residentBytes: Int?
        /// Processor time.
        public var cpuSeconds: Double
        /// Open descriptors; absent where the system does not tell.
        public var openFiles: Int?
        /// The most that may be open.
        public var maxFiles: Int

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case residentBytes = "resident_bytes"
            case cpuSeconds = "cpu_seconds"
            case openFiles = "open_files"
            case maxFiles = "max_files"
        }

        /// Creates figures.
        public init(residentBytes: Int?, cpuSeconds: Double, openFiles: Int?, maxFiles: Int) {
            self.residentBytes = residentBytes
            self.cpuSeconds = cpuSeconds
            self.openFiles = openFiles
            self.maxFiles = maxFiles
        }
    }

    /// Connections of clients.
    public struct Connections: Codable, Sendable, Hashable {
        /// Those that are open.
        public var open: Int
        /// The most that may be open.
        public var max: Int
        /// Those that were refused.
        public var refused: Int

        /// Creates counts.
        public init(open: Int, max: Int, refused: Int) {
            self.open = open
            self.max = max
            self.refused = refused
        }
    }

    /// Bodies of requests.
    public struct Bodies: Codable, Sendable, Hashable {
        /// Bytes in memory now.
        public var bytesInMemory: Int
        /// Bytes that may be in memory.
        public var maxBytesInMemory: Int
        /// Bytes of large bodies that wait on disk.
        public var bytesOnDisk: Int
        /// Requests that were refused because other bodies had the room.
        public var refused: Int
        /// Requests that were refused because their bodies came too slowly.
        public var tooSlow: Int

        /// The names on the wire.
        public enum CodingKeys: String, CodingKey {
            case bytesInMemory = "bytes_in_memory"
            case maxBytesInMemory = "max_bytes_in_memory"
            case bytesOnDisk = "bytes_on_disk"
            case refused
            case tooSlow = "too_slow"
        }

        /// Creates counts.
        public init(bytesInMemory: Int, maxBytesInMemory: Int, bytesOnDisk: Int, refused: Int, tooSlow: Int) {
            self.bytesInMemory = bytesInMemory
            self.maxBytesInMemory = maxBytesInMemory
            self.bytesOnDisk = bytesOnDisk
            self.refused = refused
            self.tooSlow = tooSlow
        }
    }

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case version
        case uptimeSeconds = "uptime_seconds"
        case requests, tokens, admission
        case embeddingLane = "embedding_lane"
        case embeddingCache = "embedding_cache"
        case keys, upstream, upstreams, index, process, connections, bodies
        case droppedLogLines = "dropped_log_lines"
    }

    /// Creates a reply.
    public init(
        version: String, uptimeSeconds: Double, requests: Requests, tokens: Tokens, admission: Admission,
        embeddingLane: EmbeddingLane, embeddingCache: EmbeddingCache?, keys: [Key], upstream: Upstream,
        upstreams: [Endpoint], index: Index?, process: Process, connections: Connections, bodies: Bodies? = nil,
        droppedLogLines: Int
    ) {
        self.version = version
        self.uptimeSeconds = uptimeSeconds
        self.requests = requests
        self.tokens = tokens
        self.admission = admission
        self.embeddingLane = embeddingLane
        self.embeddingCache = embeddingCache
        self.keys = keys
        self.upstream = upstream
        self.upstreams = upstreams
        self.index = index
        self.process = process
        self.connections = connections
        self.bodies = bodies
        self.droppedLogLines = droppedLogLines
    }
}
