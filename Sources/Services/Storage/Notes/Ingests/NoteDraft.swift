/// A note to store.
public struct NoteDraft: Sendable, Hashable {
    /// The title, one line.
    public var title: String
    /// The text.
    public var content: String
    /// When the note was written, in seconds since 1970; now when nil.
    public var createdAt: Int64?
    /// The kind of note.
    public var noteType: String?
    /// Whether the note calls for an action.
    public var actionability: String?
    /// Names of threads; missing threads are created.
    public var threads: [String]
    /// The author's tags.
    public var tags: [String]
    /// The note's name in its source (a path, a BEIR `_id`). Storing the same name again updates the note.
    public var externalID: String?
    /// The source, for example `markdown`.
    public var source: String
    /// Names that earlier versions gave the note in its source.
    public var formerIDs: [String] = []
    /// When the source was last modified, in seconds since 1970; nil for one that is no file.
    public var modifiedAt: Int64?
    /// Whether ``createdAt`` is only the source's modification time.
    public var isDateGuessed = false
    /// Whether the source is a file of its own, whose path is ``externalID``.
    public var isFile = false
    /// The note of which the source says that it is an export.
    public var export: ExportClaim?

    /// Creates a draft.
    public init(
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
