/// A note as the database holds it: `raw_notes`, what processing found, and its threads.
public struct Note: Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// One line.
    public var title: String
    /// The text.
    public var content: String
    /// As it stands in the database.
    public var createdAt: String
    /// What kind of note it is.
    public var noteType: String?
    /// Whether something is to be done about it.
    public var actionability: String?
    /// The theme that processing found.
    public var primaryTheme: String?
    /// The concepts that processing found.
    public var concepts: [String]
    /// How sure processing was of each concept, as the JSON text that it wrote.
    public var conceptConfidence: String?
    /// Further themes that processing found.
    public var secondaryThemes: [String]
    /// The mood that processing found.
    public var overallSentiment: String?
    /// The mood as a number.
    public var sentimentScore: Double?
    /// The feeling that processing found.
    public var emotionalTone: String?
    /// How much energy processing found in it.
    public var energyLevel: String?
    /// The author's tags.
    public var tags: [String]
    /// The threads that it belongs to, by id.
    public var threads: [ThreadName]

    /// About how much memory it takes.
    var bytes: Int { title.utf8.count + content.utf8.count + 512 }

    /// A thread, by id and name.
    public struct ThreadName: Sendable, Hashable {
        /// The row's id.
        public var id: Int64
        /// The name.
        public var name: String
    }
}

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
