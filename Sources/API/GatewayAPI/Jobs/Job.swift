/// A background job of the gateway, as `GET /api/jobs/:id` and its events report it.
public struct Job: Codable, Sendable, Hashable {
    /// The job's id.
    public var id: Int64
    /// The kind of work.
    public var kind: Kind
    /// The state of the job.
    public var state: State
    /// Completed units: notes, messages of a chat, or pages and then passages of a book.
    public var done: Int
    /// All units; 0 until they are counted.
    public var total: Int
    /// The number of units that failed.
    public var failed: Int
    /// The result, what the job waits for, or why it failed.
    public var message: String?
    /// Incremented by every change of the job; serves as the event id.
    public var revision: Int64
    /// When the job was requested, `YYYY-MM-DD HH:MM:SS` in UTC.
    public var createdAt: String
    /// When the job last started, in the same format.
    public var startedAt: String?
    /// When the job ended, in the same format.
    public var finishedAt: String?

    /// The kind of work of a job.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// Embeds notes.
        case backfill
        /// Finds pairs of similar notes.
        case associations
        /// Summarises old messages of a chat session.
        case compress = "chat.compress"
        /// Reads a book and embeds its passages.
        case importBook = "books.import"
        /// Makes the briefing of the day.
        case briefing
        /// Groups similar notes and proposes threads.
        case threads
        /// Finds tasks in notes.
        case actions
        /// Finds what people said about themselves in chats.
        case memories
        /// Measures first passes of the index and uses the best.
        case tune = "index.tune"
        /// Measures retrieval on a judged collection.
        case evaluation

        /// Whether only one job of the kind runs at a time; else one for each set of parameters.
        public var isSingle: Bool { self != .importBook }
    }

    /// The state of a job.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// A process runs the job.
        case running
        /// The job completed.
        case done
        /// The job failed; `message` has the error.
        case failed
        /// The job was cancelled by a request.
        case cancelled
        /// The job's process ended first; the job can be resumed.
        case interrupted

        /// Whether the state stays the same until a request resumes the job.
        public var isFinal: Bool { self != .running }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, kind, state, done, total, failed, message, revision
        case createdAt = "created_at"
        case startedAt = "started_at"
        case finishedAt = "finished_at"
    }

    /// Creates a job.
    public init(
        id: Int64, kind: Kind, state: State, done: Int = 0, total: Int = 0, failed: Int = 0, message: String? = nil,
        revision: Int64 = 1, createdAt: String, startedAt: String? = nil, finishedAt: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.done = done
        self.total = total
        self.failed = failed
        self.message = message
        self.revision = revision
        self.createdAt = createdAt
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }
}

/// The reply of `GET /api/jobs`, newest first.
public struct JobList: Codable, Sendable, Hashable {
    /// The jobs.
    public var jobs: [Job]

    /// Creates a reply.
    public init(jobs: [Job]) { self.jobs = jobs }
}

/// The body of `POST /api/jobs/backfill`; the body and every field may be absent.
public struct BackfillJobRequest: Codable, Sendable, Hashable {
    /// The embedding model; the gateway's when absent. Like `limit` and `at`, this field needs the scope `admin`.
    public var model: String?
    /// The maximum number of notes, at least 1; all when absent.
    public var limit: Int?
    /// Only notes created on or after this day, `YYYY-MM-DD`.
    public var since: String?
    /// The percentage of embedded notes at which a new space becomes active, `SELENE_SWITCH_SHARE` to 100; 100 when
    /// absent.
    public var at: Double?

    /// Creates a request.
    public init(model: String? = nil, limit: Int? = nil, since: String? = nil, at: Double? = nil) {
        self.model = model
        self.limit = limit
        self.since = since
        self.at = at
    }
}

/// The body of `POST /api/jobs/tune`; the body and every field may be absent.
public struct TuneJobRequest: Codable, Sendable, Hashable {
    /// The possible numbers of queries.
    public static let samples = 10...10_000

    /// The number of stored vectors to use as queries, 10 to 10,000; 500 when absent.
    public var sample: Int?

    /// Creates a request.
    public init(sample: Int? = nil) { self.sample = sample }
}

/// The parameters of a job that summarises old messages.
public struct CompressionJobRequest: Codable, Sendable, Hashable {
    /// The session's id.
    public var session: String

    /// Creates a request.
    public init(session: String) { self.session = session }
}

/// The body of `POST /api/briefing/associations/compute`; the body and every field may be absent.
public struct AssociationsRequest: Codable, Sendable, Hashable {
    /// The minimum cosine of a pair, 0 to 1; 0.7 when absent.
    public var minSimilarity: Double?
    /// The maximum number of partners a note selects, 1 to 100; 10 when absent. Other notes may add pairs to a note.
    public var limit: Int?

    /// Creates a request.
    public init(minSimilarity: Double? = nil, limit: Int? = nil) {
        self.minSimilarity = minSimilarity
        self.limit = limit
    }
}
