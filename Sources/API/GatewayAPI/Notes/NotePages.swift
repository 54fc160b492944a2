/// A list of notes: the reply of `GET /api/notes` and `GET /api/notes/since/:date`, newest first.
public struct NotesResponse: Codable, Sendable, Hashable {
    /// How many notes follow.
    public var count: Int
    /// The notes, newest first.
    public var notes: [Note]
    /// Where the next page begins, as the parameter `cursor`; absent on the last page.
    public var nextCursor: String?
    /// The date that was asked for, with `since`.
    public var since: String?
    /// The number of days that was asked for, with `recent`.
    public var days: Double?
    /// The text that was sought, with `search`.
    public var query: String?

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case count, notes, since, days, query
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(
        notes: [Note], nextCursor: String? = nil, since: String? = nil, days: Double? = nil,
        query: String? = nil
    ) {
        count = notes.count
        self.notes = notes
        self.nextCursor = nextCursor
        self.since = since
        self.days = days
        self.query = query
    }
}

/// The body of `POST /api/notes/search`: a text that the title or the content has to contain, whatever its case.
public struct NoteSearchRequest: Codable, Sendable, Hashable {
    /// The text; at most 1024 bytes.
    public var query: String
    /// Notes at most, 1 to 500; 50 when absent.
    public var limit: Int?
    /// Where the page begins: the `next_cursor` of the page before.
    public var cursor: String?

    /// Creates a request.
    public init(query: String, limit: Int? = nil, cursor: String? = nil) {
        self.query = query
        self.limit = limit
        self.cursor = cursor
    }
}

/// The body of `POST /api/notes/thread-assignments`.
public struct ThreadAssignmentsRequest: Codable, Sendable, Hashable {
    /// Notes, at most 1000.
    public var noteIds: [Int64]

    /// Creates a request.
    public init(noteIds: [Int64]) { self.noteIds = noteIds }
}

/// A note in a thread.
public struct ThreadAssignment: Codable, Sendable, Hashable {
    /// The note.
    public var noteId: Int64
    /// The thread.
    public var threadId: Int64
    /// The thread's name.
    public var threadName: String

    /// Creates an assignment.
    public init(noteId: Int64, threadId: Int64, threadName: String) {
        self.noteId = noteId
        self.threadId = threadId
        self.threadName = threadName
    }
}

/// The reply of `POST /api/notes/thread-assignments`: one row for each thread of each note.
public struct ThreadAssignmentsResponse: Codable, Sendable, Hashable {
    /// How many assignments follow.
    public var count: Int
    /// The assignments, by note and thread.
    public var assignments: [ThreadAssignment]

    /// Creates a reply.
    public init(assignments: [ThreadAssignment]) {
        count = assignments.count
        self.assignments = assignments
    }
}

/// The body of `POST /api/related-notes`, the older form of `GET /api/notes/:id/related`.
public struct RelatedNotesRequest: Codable, Sendable, Hashable {
    /// The note.
    public var noteId: Int64
    /// Notes at most, 1 to 100; 10 when absent.
    public var limit: Int?

    /// Creates a request.
    public init(noteId: Int64, limit: Int? = nil) {
        self.noteId = noteId
        self.limit = limit
    }
}

/// The reply of `POST /api/related-notes`.
public struct RelatedNotesResponse: Codable, Sendable, Hashable {
    /// The note whose neighbours these are.
    public var noteId: Int64
    /// How many results follow.
    public var count: Int
    /// The nearest notes, nearest first; the score is the cosine.
    public var results: [RetrievedNote]
    /// Why there are none, when the note has no vector.
    public var reason: String?

    /// Creates a reply.
    public init(noteId: Int64, results: [RetrievedNote], reason: String? = nil) {
        self.noteId = noteId
        count = results.count
        self.results = results
        self.reason = reason
    }
}
