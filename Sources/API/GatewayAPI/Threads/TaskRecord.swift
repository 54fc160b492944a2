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
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String?
    /// When the task was completed; absent while it is open.
    public var completedAt: String?
    /// The id in the task program (Things).
    public var thingsTaskID: String?
    /// A link that shows the task in Things, or adds it there.
    public var thingsLink: String?

    /// How ``thingsTaskID`` begins for a task that is not in Things, in files whose table needs an id.
    package static let withoutThings = "selene:"

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title, thread, due
        case createdAt = "created_at"
        case completedAt = "completed_at"
        case thingsTaskID = "things_task_id"
        case thingsLink = "things_link"
    }

    /// Creates a task.
    public init(
        id: Int64, title: String?, thread: Note.ThreadReference? = nil, due: String? = nil,
        createdAt: String? = nil, completedAt: String? = nil, thingsTaskID: String? = nil, thingsLink: String? = nil
    ) {
        self.id = id
        self.title = title
        self.thread = thread
        self.due = due
        self.createdAt = createdAt
        self.completedAt = completedAt
        self.thingsTaskID = thingsTaskID
        self.thingsLink = thingsLink
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

/// The body of `PATCH /api/tasks/:id`: absent fields keep their values.
public struct TaskUpdate: Codable, Sendable, Hashable {
    /// Whether the task is done.
    public var isDone: Bool?
    /// The gateway's title of the task; null removes it.
    public var title: FieldUpdate<String>
    /// The day that it is due, `YYYY-MM-DD`; null removes it.
    public var due: FieldUpdate<String>

    private enum CodingKeys: String, CodingKey {
        case title, due
        case isDone = "done"
    }

    /// Creates a change.
    public init(isDone: Bool? = nil, title: FieldUpdate<String> = .keep, due: FieldUpdate<String> = .keep) {
        self.isDone = isDone
        self.title = title
        self.due = due
    }

    /// Decodes the fields that change.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isDone = try container.decodeIfPresent(Bool.self, forKey: .isDone)
        title = try container.update(String.self, forKey: .title)
        due = try container.update(String.self, forKey: .due)
    }

    /// Encodes the fields that change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(isDone, forKey: .isDone)
        try container.encode(title, forKey: .title)
        try container.encode(due, forKey: .due)
    }
}
