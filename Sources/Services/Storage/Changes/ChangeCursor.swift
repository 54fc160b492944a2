/// A position in the change log: all changes up to it are known.
package struct ChangeCursor: Sendable, Hashable, Comparable {
    var sequence: Int64

    /// Whether the first cursor is earlier in the log.
    package static func < (left: ChangeCursor, right: ChangeCursor) -> Bool { left.sequence < right.sequence }

    /// The position as a number, to store in a file.
    package var position: Int64 { sequence }

    /// Creates a cursor from a stored position.
    package init(position: Int64) { sequence = position }

    init(sequence: Int64) { self.sequence = sequence }
}

/// The state that a reader polls to follow the database, at the cost of one small query.
package struct DatabaseChangeState: Sendable, Hashable {
    /// The end of the change log.
    package var cursor: ChangeCursor
    /// The space that answers queries.
    package var activeSpace: StoredSpace?
}

/// Changes since a cursor.
package struct ChangeBatch: Sendable {
    /// The changed notes, each once.
    package var notes: [IndexedNote]
    /// The position up to which these are all changes. When ``needsReload`` is set, the position right before the log's
    /// first entry, from where the log can be followed again. That position lies before the requested cursor when the
    /// log belongs to another file.
    package var cursor: ChangeCursor
    /// Whether the log no longer reaches back to the cursor, so that any note may have changed.
    package var needsReload: Bool
}
