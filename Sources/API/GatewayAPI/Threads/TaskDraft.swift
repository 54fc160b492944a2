/// A task that was found in a note or a message, and waits for a person to confirm or decline it.
public struct TaskDraft: Codable, Sendable, Hashable {
    /// The draft's id.
    public var id: Int64
    /// What to do.
    public var title: String
    /// The day that it is due, `YYYY-MM-DD`.
    public var due: String?
    /// The thread that the task would belong to: the one chosen, else the note's; absent when there is none.
    public var thread: Note.ThreadReference?
    /// Where the task was found.
    public var source: TaskSource
    /// True for an open check box of a note, `- [ ]`, which is a task already; else absent.
    public var box: Bool?
    /// A link that adds the task to Things.
    public var thingsLink: String?
    /// When it was found, ISO 8601 in UTC.
    public var createdAt: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title, due, thread, source, box
        case thingsLink = "things_link"
        case createdAt = "created_at"
    }

    /// Creates a draft.
    public init(
        id: Int64, title: String, due: String?, thread: Note.ThreadReference?, source: TaskSource, createdAt: String
    ) {
        self.id = id
        self.title = title
        self.due = due
        self.thread = thread
        self.source = source
        self.createdAt = createdAt
    }
}

/// The place in a note or a message that says what to do.
public struct TaskSource: Codable, Sendable, Hashable {
    /// The note's id; 0 for another source, and absent in JSON.
    public var noteID: Int64
    /// The message's id; nil for a note, and for text of a person's own.
    public var message: Int64?
    /// The message's session.
    public var session: String?
    /// The note's title; empty for other sources.
    public var title: String
    /// The sentence.
    public var text: String
    /// The sentence's first UTF-8 byte in the note's content, or in the message.
    public var start: Int
    /// The byte behind it.
    public var end: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case title, text, start, end, message, session
        case noteID = "note_id"
    }

    /// Decodes a place.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        noteID = try container.decodeIfPresent(Int64.self, forKey: .noteID) ?? 0
        message = try container.decodeIfPresent(Int64.self, forKey: .message)
        session = try container.decodeIfPresent(String.self, forKey: .session)
        title = try container.decode(String.self, forKey: .title)
        text = try container.decode(String.self, forKey: .text)
        start = try container.decode(Int.self, forKey: .start)
        end = try container.decode(Int.self, forKey: .end)
    }

    /// Encodes a place; without a note there is no `note_id`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if noteID != 0 { try container.encode(noteID, forKey: .noteID) }
        try container.encodeIfPresent(message, forKey: .message)
        try container.encodeIfPresent(session, forKey: .session)
        try container.encode(title, forKey: .title)
        try container.encode(text, forKey: .text)
        try container.encode(start, forKey: .start)
        try container.encode(end, forKey: .end)
    }

    /// Creates a place.
    public init(
        noteID: Int64, message: Int64? = nil, session: String? = nil, title: String, text: String, start: Int, end: Int
    ) {
        self.noteID = noteID
        self.message = message
        self.session = session
        self.title = title
        self.text = text
        self.start = start
        self.end = end
    }
}

/// The reply of `GET /api/tasks/drafts`, latest first.
public struct TaskDraftList: Codable, Sendable, Hashable {
    /// The number of drafts in this reply.
    public var count: Int
    /// The drafts.
    public var drafts: [TaskDraft]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, drafts
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(drafts: [TaskDraft], nextCursor: String? = nil) {
        count = drafts.count
        self.drafts = drafts
        self.nextCursor = nextCursor
    }
}

/// The body of `PATCH /api/tasks/drafts/:id` and of `POST /api/tasks/drafts/:id/confirm`: absent fields keep their values.
public struct TaskDraftUpdate: Codable, Sendable, Hashable {
    /// Another title.
    public var title: String?
    /// Another due day, `YYYY-MM-DD`; null removes it.
    public var due: FieldUpdate<String>
    /// The id of the thread that the task belongs to.
    public var thread: Int64?

    private enum CodingKeys: String, CodingKey { case title, due, thread }

    /// Creates a change.
    public init(title: String? = nil, due: FieldUpdate<String> = .keep, thread: Int64? = nil) {
        self.title = title
        self.due = due
        self.thread = thread
    }

    /// Decodes the fields that change.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decodeIfPresent(String.self, forKey: .title)
        due = try container.update(String.self, forKey: .due)
        thread = try container.decodeIfPresent(Int64.self, forKey: .thread)
    }

    /// Encodes the fields that change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encode(due, forKey: .due)
        try container.encodeIfPresent(thread, forKey: .thread)
    }
}

/// The body of `POST /api/tasks/drafts`: a message, or a text.
public struct NewTaskDrafts: Codable, Sendable, Hashable {
    /// The id of a message in a chat.
    public var message: Int64?
    /// Only these UTF-8 bytes of the message, half-open.
    public var range: [Int]?
    /// A text, instead of a message; 1 to 4,096 bytes.
    public var text: String?
    /// The id of the thread that the tasks would belong to.
    public var thread: Int64?

    /// Creates a request.
    public init(message: Int64? = nil, range: [Int]? = nil, text: String? = nil, thread: Int64? = nil) {
        self.message = message
        self.range = range
        self.text = text
        self.thread = thread
    }
}

/// The body of `POST /api/tasks`.
public struct NewTask: Codable, Sendable, Hashable {
    /// What to do.
    public var title: String
    /// The day that it is due, `YYYY-MM-DD`.
    public var due: String?
    /// The id of the thread that it belongs to.
    public var thread: Int64

    /// Creates a task.
    public init(title: String, due: String? = nil, thread: Int64) {
        self.title = title
        self.due = due
        self.thread = thread
    }
}

/// The body of `POST /api/jobs/actions`; the body and every field may be absent.
public struct ActionsJobRequest: Codable, Sendable, Hashable {
    /// Only notes of the last so many days; 90 when absent.
    public var days: Int?
    /// Whether the job does nothing when the workflow ran today; false when absent.
    public var daily: Bool?

    /// Creates a request.
    public init(days: Int? = nil, daily: Bool? = nil) {
        self.days = days
        self.daily = daily
    }
}
