/// A note to be stored.
public struct NoteDraft: Sendable, Hashable {
    /// One line.
    public var title: String
    /// The text.
    public var content: String
    /// When it was written, in seconds since 1970; now when nil.
    public var createdAt: Int64?
    /// What kind of note it is.
    public var noteType: String?
    /// Whether something is to be done about it.
    public var actionability: String?
    /// Names of threads, which are made when they do not exist.
    public var threads: [String]
    /// The author's tags.
    public var tags: [String]
    /// The note's name where it comes from (a path, a BEIR `_id`): storing it again updates the note.
    public var externalID: String?
    /// Where it comes from, for example `markdown`.
    public var source: String

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
