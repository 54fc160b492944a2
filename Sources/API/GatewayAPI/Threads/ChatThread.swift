/// A thread: a named group of notes.
public struct ChatThread: Codable, Sendable, Hashable {
    /// The row id in the database.
    public var id: Int64
    /// The thread's name.
    public var name: String
    /// Why the thread exists.
    public var why: String?
    /// A summary of the thread's notes.
    public var summary: String?
    /// `active`, `paused`, `completed`, or another value from the database file.
    public var status: String?
    /// The number of the thread's notes that the API returns.
    public var noteCount: Int
    /// The time of the last activity in UTC, as stored in the database.
    public var lastActivityAt: String?
    /// The emotional charge, as stored.
    public var emotionalCharge: Double?
    /// The activity score; lists of threads are ordered by it.
    public var momentumScore: Double?
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String?
    /// The time of the last change in UTC, as stored in the database.
    public var updatedAt: String?
    /// `heating`, `steady`, `cooling` or `dormant`; absent before the first run of the job `threads`.
    public var heat: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, name, why, summary, status, heat
        case noteCount = "note_count"
        case lastActivityAt = "last_activity_at"
        case emotionalCharge = "emotional_charge"
        case momentumScore = "momentum_score"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
    }

    /// Creates a thread.
    public init(
        id: Int64, name: String, why: String? = nil, summary: String? = nil, status: String? = nil,
        noteCount: Int = 0, lastActivityAt: String? = nil, emotionalCharge: Double? = nil,
        momentumScore: Double? = nil, createdAt: String? = nil, updatedAt: String? = nil, heat: String? = nil
    ) {
        self.id = id
        self.name = name
        self.why = why
        self.summary = summary
        self.status = status
        self.noteCount = noteCount
        self.lastActivityAt = lastActivityAt
        self.emotionalCharge = emotionalCharge
        self.momentumScore = momentumScore
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.heat = heat
    }
}

/// The reply of `GET /api/threads`: active threads, highest momentum first.
public struct ThreadsResponse: Codable, Sendable, Hashable {
    /// The number of threads in this reply.
    public var count: Int
    /// The threads.
    public var threads: [ChatThread]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, threads
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(threads: [ChatThread], nextCursor: String? = nil) {
        count = threads.count
        self.threads = threads
        self.nextCursor = nextCursor
    }
}

/// The reply of `GET /api/threads/:id` and `GET /api/threads/search/:name`: a thread's fields and its notes in one flat
/// object.
public struct ThreadWithNotes: Codable, Sendable, Hashable {
    /// The thread.
    public var thread: ChatThread
    /// The thread's notes, newest first.
    public var notes: [Note]
    /// The cursor of the next page of notes; absent on the last page.
    public var nextCursor: String?

    private enum CodingKeys: String, CodingKey {
        case notes
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(thread: ChatThread, notes: [Note], nextCursor: String? = nil) {
        self.thread = thread
        self.notes = notes
        self.nextCursor = nextCursor
    }

    /// Decodes the thread's fields and its notes from one flat object.
    public init(from decoder: any Decoder) throws {
        thread = try ChatThread(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        notes = try container.decode([Note].self, forKey: .notes)
        nextCursor = try container.decodeIfPresent(String.self, forKey: .nextCursor)
    }

    /// Encodes the thread's fields and its notes as one flat object.
    public func encode(to encoder: any Encoder) throws {
        try thread.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(notes, forKey: .notes)
        try container.encodeIfPresent(nextCursor, forKey: .nextCursor)
    }
}

/// A task of a thread.
public struct ThreadTask: Codable, Sendable, Hashable {
    /// The row id in the database.
    public var id: Int64
    /// The thread id.
    public var threadID: Int64
    /// The id in the task program (Things); absent when the database file has none.
    public var thingsTaskID: String?
    /// The task's title; absent when the database file has none.
    public var title: String?
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String?
    /// When the task was completed; absent while it is open.
    public var completedAt: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id
        case threadID = "thread_id"
        case thingsTaskID = "things_task_id"
        case title
        case createdAt = "created_at"
        case completedAt = "completed_at"
    }

    /// Creates a task.
    public init(
        id: Int64, threadID: Int64, thingsTaskID: String? = nil, title: String? = nil, createdAt: String? = nil,
        completedAt: String? = nil
    ) {
        self.id = id
        self.threadID = threadID
        self.thingsTaskID = thingsTaskID
        self.title = title
        self.createdAt = createdAt
        self.completedAt = completedAt
    }
}

/// The reply of `GET /api/threads/:id/tasks`.
public struct ThreadTasksResponse: Codable, Sendable, Hashable {
    /// The thread id.
    public var threadId: Int64
    /// The number of tasks in this reply.
    public var count: Int
    /// The tasks, newest first.
    public var tasks: [ThreadTask]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case threadId, count, tasks
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(threadId: Int64, tasks: [ThreadTask], nextCursor: String? = nil) {
        self.threadId = threadId
        count = tasks.count
        self.tasks = tasks
        self.nextCursor = nextCursor
    }
}
