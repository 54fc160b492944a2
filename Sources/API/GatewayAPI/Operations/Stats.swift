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
