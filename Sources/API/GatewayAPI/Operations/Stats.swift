/// The reply of `GET /api/admin/stats`: the current state of the gateway, and counts since its start.
public struct StatsResponse: Codable, Sendable, Hashable {
    /// The gateway's version.
    public var version: String
    /// Seconds since the start.
    public var uptimeSeconds: Double
    /// Counts of requests.
    public var requests: Requests
    /// Token counts of the answers that the gateway parsed.
    public var tokens: Tokens
    /// The admission queue for Ollama.
    public var admission: Admission
    /// Counts of embedding calls.
    public var embeddingLane: EmbeddingLane
    /// The embedding cache; absent when it is disabled.
    public var embeddingCache: EmbeddingCache?
    /// The API keys that are not revoked, with their use today (UTC).
    public var keys: [Key]
    /// All upstreams together.
    public var upstream: Upstream
    /// The state of each upstream.
    public var upstreams: [Endpoint]
    /// The index of notes; absent while it cannot be read.
    public var index: Index?
    /// Resources of the process.
    public var process: Process
    /// Client connections.
    public var connections: Connections
    /// Request bodies; nil from an older gateway.
    public var bodies: Bodies?
    /// Log lines that were dropped because the output was too slow.
    public var droppedLogLines: Int

    /// Counts of requests.
    public struct Requests: Codable, Sendable, Hashable {
        /// Finished requests.
        public var total: Int
        /// Finished requests with a status of 500 or more.
        public var failed: Int
        /// Finished requests whose client disconnected.
        public var cancelled: Int
        /// Requests in flight.
        public var inFlight: Int

        /// The JSON field names.
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
        /// Prompt tokens.
        public var prompt: Int
        /// Generated tokens.
        public var generated: Int

        /// Creates counts.
        public init(prompt: Int, generated: Int) {
            self.prompt = prompt
            self.generated = generated
        }
    }

    /// An API key and its use today.
    public struct Key: Codable, Sendable, Hashable {
        /// The key's id.
        public var id: Int64
        /// The key's name.
        public var name: String
        /// Requests today.
        public var requests: Int
        /// Requests that the key's limits refused today.
        public var refused: Int
        /// Tokens today.
        public var tokens: Int
        /// When the key was last used.
        public var lastUsedAt: String?

        /// The JSON field names.
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

    /// The state of the note index.
    public struct Index: Codable, Sendable, Hashable {
        /// Notes in the index.
        public var notes: Int
        /// Notes that have a vector.
        public var embeddedNotes: Int
        /// Vectors; each passage has one.
        public var vectors: Int
        /// Bytes of the vectors, including compressed ones.
        public var vectorBytes: Int
        /// Bytes of the texts and postings.
        public var textBytes: Int
        /// The embedding model of the space; absent before the first backfill.
        public var model: String?

        /// The JSON field names.
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

    /// The JSON field names.
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
