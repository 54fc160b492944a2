package import GatewayAPI

/// Counts the results of storing drafts.
package struct InsertOutcome: Sendable, Hashable {
    /// Inserted notes.
    package var inserted = 0
    /// Existing notes with the same external id that changed.
    package var updated = 0
    /// Drafts that matched an existing note.
    package var unchanged = 0
    /// What a person should know about some of the drafts.
    package var remarks: [IngestRemark] = []

    /// Creates an outcome of zeros.
    package init() {}

    /// Adds another outcome.
    package static func += (left: inout InsertOutcome, right: InsertOutcome) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.remarks += right.remarks
    }
}

/// The result of creating a note.
package enum NoteCreation: Sendable, Hashable {
    /// The note was created; the value is its id.
    case created(Int64)
    /// A note with the same title and content exists; nothing was written. The value is its id.
    case duplicate(Int64)
}

/// Changes to a note; nil and ``FieldUpdate/keep`` leave a field as it is.
package struct NoteChange: Sendable, Hashable {
    /// The new title.
    package var title: String?
    /// The new text.
    package var content: String?
    /// The new date, in seconds since 1970.
    package var createdAt: Int64?
    /// The new kind.
    package var noteType: FieldUpdate<String> = .keep
    /// The new actionability.
    package var actionability: FieldUpdate<String> = .keep
    /// The new tags; replaces all tags.
    package var tags: [String]?
    /// The names of the new threads; replaces all threads.
    package var threads: [String]?

    /// Creates an empty change.
    package init() {}
}
