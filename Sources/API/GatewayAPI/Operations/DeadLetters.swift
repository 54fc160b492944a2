/// A note that could not be embedded and is not tried again by itself.
public struct FailedNote: Codable, Sendable, Hashable {
    /// The id of the embedding space.
    public var space: Int64
    /// The space's model.
    public var model: String
    /// The note's id.
    public var note: Int64
    /// The note's title; nil for a note that is gone.
    public var title: String?
    /// Why it failed.
    public var reason: String
    /// The number of attempts.
    public var attempts: Int

    /// Creates it from its fields.
    public init(space: Int64, model: String, note: Int64, title: String?, reason: String, attempts: Int) {
        self.space = space
        self.model = model
        self.note = note
        self.title = title
        self.reason = reason
        self.attempts = attempts
    }
}

/// The reply of `GET /api/admin/failed-notes`.
public struct FailedNotePage: Codable, Sendable, Hashable {
    /// The notes, by space and id.
    public var notes: [FailedNote]
    /// The start of the next page; nil on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case notes
        case nextCursor = "next_cursor"
    }

    /// Creates a page.
    public init(notes: [FailedNote], nextCursor: String?) {
        self.notes = notes
        self.nextCursor = nextCursor
    }
}

/// The reply of the routes that retry or discard a failed note.
public struct FailedNoteChange: Codable, Sendable, Hashable {
    /// The id of the embedding space.
    public var space: Int64
    /// The note's id.
    public var note: Int64
    /// `queued` or `discarded`.
    public var state: String

    /// Creates it from its fields.
    public init(space: Int64, note: Int64, state: String) {
        self.space = space
        self.note = note
        self.state = state
    }
}
