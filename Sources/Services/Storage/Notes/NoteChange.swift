public import GatewayAPI

/// Counts the results of storing drafts.
public struct InsertOutcome: Sendable, Hashable {
    /// Inserted notes.
    public var inserted = 0
    /// Existing notes with the same external id that changed.
    public var updated = 0
    /// Drafts that matched an existing note.
    public var unchanged = 0
    /// What a person should know about some of the drafts.
    public var remarks: [IngestRemark] = []

    /// Creates an outcome of zeros.
    public init() {}

    /// Adds another outcome.
    public static func += (left: inout InsertOutcome, right: InsertOutcome) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.remarks += right.remarks
    }
}

/// The result of creating a note.
public enum NoteCreation: Sendable, Hashable {
    /// The note was created; the value is its id.
    case created(Int64)
    /// A note with the same title and content exists; nothing was written. The value is its id.
    case duplicate(Int64)
}

/// Changes to a note; nil and ``FieldUpdate/keep`` leave a field as it is.
public struct NoteChange: Sendable, Hashable {
    /// The new title.
    public var title: String?
    /// The new text.
    public var content: String?
    /// The new date, in seconds since 1970.
    public var createdAt: Int64?
    /// The new kind.
    public var noteType: FieldUpdate<String> = .keep
    /// The new actionability.
    public var actionability: FieldUpdate<String> = .keep
    /// The new tags; replaces all tags.
    public var tags: [String]?
    /// The names of the new threads; replaces all threads.
    public var threads: [String]?

    /// Creates an empty change.
    public init() {}
}
