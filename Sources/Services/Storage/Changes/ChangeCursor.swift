/// A position in the change log: all changes up to it are known.
public struct ChangeCursor: Sendable, Hashable, Comparable {
    var sequence: Int64

    /// Whether the first cursor is earlier in the log.
    public static func < (left: ChangeCursor, right: ChangeCursor) -> Bool { left.sequence < right.sequence }

    /// The position as a number, to store in a file.
    public var position: Int64 { sequence }

    /// Creates a cursor from a stored position.
    public init(position: Int64) { sequence = position }

    init(sequence: Int64) { self.sequence = sequence }
}

/// The state that a reader polls to follow the database, at the cost of one small query.
public struct DatabaseChangeState: Sendable, Hashable {
    /// The end of the change log.
    public var cursor: ChangeCursor
    /// The space that answers queries.
    public var activeSpace: StoredSpace?
}

/// Changes since a cursor.
public struct ChangeBatch: Sendable {
    /// The changed notes, each once.
    public var notes: [IndexedNote]
    /// The position up to which these are all changes. When ``needsReload`` is set, the position right before the log's
    /// first entry, from where the log can be followed again. That position lies before the requested cursor when the
    /// log belongs to another file.
    public var cursor: ChangeCursor
    /// Whether the log no longer reaches back to the cursor, so that any note may have changed.
    public var needsReload: Bool
}
