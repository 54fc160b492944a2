/// A note as the retrieval index needs it, or the news that it is gone.
public enum IndexedNote: Sendable, Hashable {
    /// A note that is there, with its vectors in the space that was asked for.
    case present(FeedNote)
    /// A note that is not there any more, or is not to be shown.
    case removed(id: Int64)
}

/// What the retrieval index holds of a note.
public struct FeedNote: Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// One line; may be empty.
    public var title: String
    /// The text; may be empty.
    public var content: String
    /// What kind of note it is.
    public var noteType: String?
    /// Whether something is to be done about it.
    public var actionability: String?
    /// Seconds since 1970, UTC; 0 when the database holds no date that can be read.
    public var createdAt: Int64
    /// The ids of the threads that it belongs to, ascending.
    public var threads: [Int64]
    /// The author's tags, as they were written.
    public var tags: [String]
    /// The vectors of its passages, one after the other, each as long as the space has dimensions; empty when there is
    /// none. After a passage that is missing or damaged no more follow.
    public var vectors: [Float]
    /// How many passages ``vectors`` has; 0 when there is none.
    public var passages: Int

    /// About how much memory it takes.
    var bytes: Int { title.utf8.count + content.utf8.count + vectors.count * 4 }

    /// Creates a note.
    public init(
        id: Int64, title: String, content: String, noteType: String? = nil, actionability: String? = nil,
        createdAt: Int64 = 0, threads: [Int64] = [], tags: [String] = [], vectors: [Float] = [], passages: Int = 0
    ) {
        self.id = id
        self.title = title
        self.content = content
        self.noteType = noteType
        self.actionability = actionability
        self.createdAt = createdAt
        self.threads = threads
        self.tags = tags
        self.vectors = vectors
        self.passages = passages
    }
}
