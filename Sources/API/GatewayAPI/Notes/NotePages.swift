/// The reply of `GET /api/notes` and `GET /api/notes/since/:date`: a page of notes.
public struct NotesResponse: Codable, Sendable, Hashable {
    /// The number of notes in this reply.
    public var count: Int
    /// The notes, newest first.
    public var notes: [Note]
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    public var nextCursor: String?
    /// The requested date, with `since`.
    public var since: String?
    /// The requested number of days, with `recent`.
    public var days: Double?
    /// The requested text, with `search`.
    public var query: String?

    /// The JSON field names.
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

/// The body of `POST /api/notes/search`: a text to find in titles and contents, ignoring case.
public struct NoteSearchRequest: Codable, Sendable, Hashable {
    /// The text; at most 1024 bytes.
    public var query: String
    /// The maximum number of notes, 1 to 500; 50 when absent.
    public var limit: Int?
    /// The `next_cursor` of the previous page.
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
    /// Note ids, at most 1000.
    public var noteIds: [Int64]

    /// Creates a request.
    public init(noteIds: [Int64]) { self.noteIds = noteIds }
}

/// A note's membership in a thread.
public struct ThreadAssignment: Codable, Sendable, Hashable {
    /// The note id.
    public var noteId: Int64
    /// The thread id.
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
    /// The number of assignments in this reply.
    public var count: Int
    /// The assignments, ordered by note and thread.
    public var assignments: [ThreadAssignment]

    /// Creates a reply.
    public init(assignments: [ThreadAssignment]) {
        count = assignments.count
        self.assignments = assignments
    }
}

/// The body of `POST /api/related-notes`, an older equivalent of `GET /api/notes/:id/related`.
public struct RelatedNotesRequest: Codable, Sendable, Hashable {
    /// The note id.
    public var noteId: Int64
    /// The maximum number of notes, 1 to 100; 10 when absent.
    public var limit: Int?

    /// Creates a request.
    public init(noteId: Int64, limit: Int? = nil) {
        self.noteId = noteId
        self.limit = limit
    }
}

/// The reply of `POST /api/related-notes`.
public struct RelatedNotesResponse: Codable, Sendable, Hashable {
    /// The id of the note whose neighbours are listed.
    public var noteId: Int64
    /// The number of results in this reply.
    public var count: Int
    /// The nearest notes, nearest first; the score is the cosine.
    public var results: [RetrievedNote]
    /// Why the list is empty, when the note has no vector.
    public var reason: String?

    /// Creates a reply.
    public init(noteId: Int64, results: [RetrievedNote], reason: String? = nil) {
        self.noteId = noteId
        count = results.count
        self.results = results
        self.reason = reason
    }
}
