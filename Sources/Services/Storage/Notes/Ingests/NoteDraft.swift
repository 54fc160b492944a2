/// A note to store.
package struct NoteDraft: Sendable, Hashable {
    /// The title, one line.
    package var title: String
    /// The text.
    package var content: String
    /// When the note was written, in seconds since 1970; now when nil.
    package var createdAt: Int64?
    /// The kind of note.
    package var noteType: String?
    /// Whether the note calls for an action.
    package var actionability: String?
    /// Names of threads; missing threads are created.
    package var threads: [String]
    /// The author's tags.
    package var tags: [String]
    /// The note's name in its source (a path, a BEIR `_id`). Storing the same name again updates the note.
    package var externalID: String?
    /// The source, for example `markdown`.
    package var source: String
    /// Names that earlier versions gave the note in its source.
    package var formerIDs: [String] = []
    /// When the source was last modified, in seconds since 1970; nil for one that is no file.
    package var modifiedAt: Int64?
    /// Whether ``createdAt`` is only the source's modification time.
    package var isDateGuessed = false
    /// Whether the source is a file of its own, whose path is ``externalID``.
    package var isFile = false
    /// Whether a client sent the file, so that ``externalID`` is a path that other files can have too.
    package var isUpload = false
    /// The note of which the source says that it is an export.
    package var export: ExportClaim?

    package init(
        title: String, content: String, createdAt: Int64? = nil, noteType: String? = nil,
        actionability: String? = nil, threads: [String] = [], tags: [String] = [], externalID: String? = nil,
        source: String = "gateway"
    ) {
        self.title = title
        self.content = content
        self.createdAt = createdAt
        self.noteType = noteType
        self.actionability = actionability
        self.threads = threads
        self.tags = tags
        self.externalID = externalID
        self.source = source
    }
}
