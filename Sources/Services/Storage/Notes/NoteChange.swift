public import GatewayAPI

/// What became of drafts that were stored.
public struct InsertOutcome: Sendable, Hashable {
    /// New notes.
    public var inserted = 0
    /// Notes that were there under the same external id and differ now.
    public var updated = 0
    /// Drafts that are there already.
    public var unchanged = 0

    /// Nothing stored.
    public init() {}

    /// Adds another outcome.
    public static func += (left: inout InsertOutcome, right: InsertOutcome) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.unchanged += right.unchanged
    }
}

/// What became of a note that was to be made.
public enum NoteCreation: Sendable, Hashable {
    /// It is there now.
    case created(Int64)
    /// A note with the same title and content was there already; nothing was written.
    case duplicate(Int64)
}

/// What changes of a note.
public struct NoteChange: Sendable, Hashable {
    /// A new title.
    public var title: String?
    /// A new text.
    public var content: String?
    /// Another date, in seconds since 1970.
    public var createdAt: Int64?
    /// Another kind.
    public var noteType: FieldUpdate<String> = .keep
    /// Another actionability.
    public var actionability: FieldUpdate<String> = .keep
    /// All tags from now on.
    public var tags: [String]?
    /// All threads from now on, by name.
    public var threads: [String]?

    /// Creates a change of nothing.
    public init() {}
}
