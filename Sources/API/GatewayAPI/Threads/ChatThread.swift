/// A thread: notes that belong together.
public struct ChatThread: Codable, Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// The name.
    public var name: String
    /// What it is about.
    public var why: String?
    /// What its notes say.
    public var summary: String?
    /// `active`, `paused`, `completed` or whatever else the file says.
    public var status: String?
    /// How many of its notes are shown.
    public var noteCount: Int
    /// As the database stores it, in UTC.
    public var lastActivityAt: String?
    /// How much feeling is in it.
    public var emotionalCharge: Double?
    /// How much happens in it; threads are listed by this.
    public var momentumScore: Double?
    /// As the database stores it, in UTC.
    public var createdAt: String?
    /// As the database stores it, in UTC.
    public var updatedAt: String?

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case id, name, why, summary, status
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
        momentumScore: Double? = nil, createdAt: String? = nil, updatedAt: String? = nil
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
    }
}

/// The reply of `GET /api/threads`: active threads, those with the most momentum first.
public struct ThreadsResponse: Codable, Sendable, Hashable {
    /// How many threads follow.
    public var count: Int
    /// The threads.
    public var threads: [ChatThread]
    /// Where the next page begins; absent on the last page.
    public var nextCursor: String?

    /// The names on the wire.
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

/// The reply of `GET /api/threads/:id` and `GET /api/threads/search/:name`: the thread's fields and its notes in one flat
/// object.
public struct ThreadWithNotes: Codable, Sendable, Hashable {
    /// The thread.
    public var thread: ChatThread
    /// Its notes, newest first.
    public var notes: [Note]
    /// Where the next page of notes begins; absent on the last page.
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

    /// Decodes the flat object.
    public init(from decoder: any Decoder) throws {
        thread = try ChatThread(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        notes = try container.decode([Note].self, forKey: .notes)
        nextCursor = try container.decodeIfPresent(String.self, forKey: .nextCursor)
    }

    /// Encodes a flat object.
    public func encode(to encoder: any Encoder) throws {
        try thread.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(notes, forKey: .notes)
        try container.encodeIfPresent(nextCursor, forKey: .nextCursor)
    }
}

/// A task that belongs to a thread.
public struct ThreadTask: Codable, Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// The thread.
    public var threadID: Int64
    /// The task's name in the program that keeps tasks; absent in files that do not say.
    public var thingsTaskID: String?
    /// What is to be done; absent in files that do not say.
    public var title: String?
    /// As the database stores it, in UTC.
    public var createdAt: String?
    /// When it was done; absent while it is open.
    public var completedAt: String?

    /// The names on the wire.
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
    /// The thread.
    public var threadId: Int64
    /// How many tasks follow.
    public var count: Int
    /// The tasks, newest first.
    public var tasks: [ThreadTask]
    /// Where the next page begins; absent on the last page.
    public var nextCursor: String?

    /// The names on the wire.
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
