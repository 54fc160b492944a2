/// A place in the change log: all changes up to it are known.
public struct ChangeCursor: Sendable, Hashable, Comparable {
    var sequence: Int64

    /// Earlier in the log.
    public static func < (left: ChangeCursor, right: ChangeCursor) -> Bool { left.sequence < right.sequence }

    /// The place as a number, to be kept in a file.
    public var position: Int64 { sequence }

    /// A place that was kept in a file.
    public init(position: Int64) { sequence = position }

    init(sequence: Int64) { self.sequence = sequence }
}

/// What a reader that follows the database has to look at first: one small query.
public struct DatabasePulse: Sendable, Hashable {
    /// The end of the change log.
    public var cursor: ChangeCursor
    /// The space that answers queries.
    public var activeSpace: StoredSpace?
}

/// What changed since a cursor.
public struct ChangeBatch: Sendable {
    /// Each changed note once.
    public var notes: [IndexedNote]
    /// The place up to which these are all changes. When ``needsReload`` is set: right before the log's first entry, from
    /// where the log can be followed again. It lies before the requested cursor when the log belongs to another file.
    public var cursor: ChangeCursor
    /// The log no longer reaches back to the cursor: any note may have changed.
    public var needsReload: Bool
}
