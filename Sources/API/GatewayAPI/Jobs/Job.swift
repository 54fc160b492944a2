/// Long work that a gateway does in the background, as `GET /api/jobs/:id` and its events tell of it.
public struct Job: Codable, Sendable, Hashable {
    /// The job's number.
    public var id: Int64
    /// What it does.
    public var kind: Kind
    /// How it stands.
    public var state: State
    /// Units done; notes for both kinds.
    public var done: Int
    /// Units in all; 0 before they are counted.
    public var total: Int
    /// Notes that could not be done.
    public var failed: Int
    /// What it found, what it waits for, or why it failed.
    public var message: String?
    /// Goes up whenever anything of this changes; the id of an event.
    public var revision: Int64
    /// When it was asked for, `YYYY-MM-DD HH:MM:SS` in UTC.
    public var createdAt: String
    /// When it last began, in the same form.
    public var startedAt: String?
    /// When it ended, in the same form.
    public var finishedAt: String?

    /// What a job does.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// Embeds notes.
        case backfill
        /// Finds pairs of notes that are near each other.
        case associations
    }

    /// How a job stands.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// A process works on it.
        case running
        /// It is done.
        case done
        /// It ended with an error, which `message` tells.
        case failed
        /// It was stopped by a request.
        case cancelled
        /// Its process ended before it did; it can be resumed.
        case interrupted

        /// Whether nothing more will happen unless somebody asks for it.
        public var isFinal: Bool { self != .running }
    }

    /// The names on the wire.
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

/// The reply of `GET /api/jobs`, the newest first.
public struct JobList: Codable, Sendable, Hashable {
    /// The jobs.
    public var jobs: [Job]

    /// Creates a reply.
    public init(jobs: [Job]) { self.jobs = jobs }
}

/// The body of `POST /api/jobs/backfill`; every field may be absent, and so may the body.
public struct BackfillJobRequest: Codable, Sendable, Hashable {
    /// The embedding model; the gateway's when absent. Like `limit` and `at`, it needs the scope `admin`.
    public var model: String?
    /// Notes at most, 1 or more; all when absent.
    public var limit: Int?
    /// Only notes created on this day, `YYYY-MM-DD`, or later.
    public var since: String?
    /// Percent of the notes, `SELENE_SWITCH_SHARE` to 100, at which a new space begins to answer; 100 when absent.
    public var at: Double?

    /// Creates a request.
    public init(model: String? = nil, limit: Int? = nil, since: String? = nil, at: Double? = nil) {
        self.model = model
        self.limit = limit
        self.since = since
        self.at = at
    }
}

/// The body of `POST /api/briefing/associations/compute`; every field may be absent, and so may the body.
public struct AssociationsRequest: Codable, Sendable, Hashable {
    /// The least cosine of a pair, 0 to 1; 0.7 when absent.
    public var minSimilarity: Double?
    /// Partners of a note at most, 1 to 100; 10 when absent. A note that is near to many others may have more.
    public var limit: Int?

    /// Creates a request.
    public init(minSimilarity: Double? = nil, limit: Int? = nil) {
        self.minSimilarity = minSimilarity
        self.limit = limit
    }
}
