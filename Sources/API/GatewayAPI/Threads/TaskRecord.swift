/// A task of a thread, with what the gateway knows about it.
public struct TaskRecord: Codable, Sendable, Hashable {
    /// The row id in `thread_tasks`.
    public var id: Int64
    /// The title; absent when neither the database file nor the gateway has one.
    public var title: String?
    /// The thread that the task belongs to; absent when that thread is gone.
    public var thread: Note.ThreadReference?
    /// The day that the task is due, `YYYY-MM-DD`.
    public var due: String?
    /// The note that the task was found in.
    public var source: TaskSource?
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String?
    /// When the task was completed; absent while it is open.
    public var completedAt: String?
    /// The id in the task program (Things).
    public var thingsTaskID: String?
    /// A link that shows the task in Things, or adds it there.
    public var thingsLink: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title, thread, due, source
        case createdAt = "created_at"
        case completedAt = "completed_at"
        case thingsTaskID = "things_task_id"
        case thingsLink = "things_link"
    }

    /// Creates a task.
    public init(
        id: Int64, title: String?, thread: Note.ThreadReference? = nil, due: String? = nil, source: TaskSource? = nil,
        createdAt: String? = nil, completedAt: String? = nil, thingsTaskID: String? = nil, thingsLink: String? = nil
    ) {
        self.id = id
        self.title = title
        self.thread = thread
        self.due = due
        self.source = source
        self.createdAt = createdAt
        self.completedAt = completedAt
        self.thingsTaskID = thingsTaskID
        self.thingsLink = thingsLink
    }
}

/// The part of a note's `content` that a task was found in: a half-open range of UTF-8 offsets.
public struct TaskSource: Codable, Sendable, Hashable {
    /// The note's id.
    public var note: Int64
    /// The offset of the first byte.
    public var start: Int
    /// The offset after the last byte.
    public var end: Int

    /// Creates a source.
    public init(note: Int64, start: Int, end: Int) {
        self.note = note
        self.start = start
        self.end = end
    }
}

/// The reply of `GET /api/tasks`: tasks with the earliest due day first, then those without one, newest first.
public struct TaskList: Codable, Sendable, Hashable {
    /// The number of tasks in this reply.
    public var count: Int
    /// The tasks.
    public var tasks: [TaskRecord]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, tasks
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(tasks: [TaskRecord], nextCursor: String? = nil) {
        count = tasks.count
        self.tasks = tasks
        self.nextCursor = nextCursor
    }
}
