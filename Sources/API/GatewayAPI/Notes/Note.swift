/// A note as the API shows it: the columns of the notes database under their own names.
public struct Note: Codable, Sendable, Hashable {
    /// The row's id.
    public var id: Int64
    /// One line.
    public var title: String
    /// The note's text.
    public var content: String
    /// As the database stores it, in UTC.
    public var createdAt: String
    /// What kind of note it is, such as `idea` or `decision`.
    public var noteType: String?
    /// Whether something is to be done about it.
    public var actionability: String?
    /// The theme that processing found.
    public var primaryTheme: String?
    /// The concepts that processing found; JSON text or a plain list in the database, a list here.
    public var concepts: [String]
    /// How sure processing was of each concept, as it wrote it.
    public var conceptConfidence: JSONValue?
    /// Further themes that processing found.
    public var secondaryThemes: [String]?
    /// The mood that processing found, such as `positive`.
    public var overallSentiment: String?
    /// The mood as a number.
    public var sentimentScore: Double?
    /// The feeling that processing found.
    public var emotionalTone: String?
    /// How much energy processing found in it.
    public var energyLevel: String?
    /// The author's tags.
    public var tags: [String]
    /// The threads that the note belongs to.
    public var threads: [ThreadReference]

    /// The names on the wire.
    public enum CodingKeys: String, CodingKey {
        case id, title, content
        case createdAt = "created_at"
        case noteType = "note_type"
        case actionability
        case primaryTheme = "primary_theme"
        case concepts
        case conceptConfidence = "concept_confidence"
        case secondaryThemes = "secondary_themes"
        case overallSentiment = "overall_sentiment"
        case sentimentScore = "sentiment_score"
        case emotionalTone = "emotional_tone"
        case energyLevel = "energy_level"
        case tags, threads
    }

    /// Creates a note.
    public init(
        id: Int64, title: String, content: String, createdAt: String, noteType: String? = nil,
        actionability: String? = nil, primaryTheme: String? = nil, concepts: [String] = [], tags: [String] = [],
        threads: [ThreadReference] = []
    ) {
        self.id = id
        self.title = title
        self.content = content
        self.createdAt = createdAt
        self.noteType = noteType
        self.actionability = actionability
        self.primaryTheme = primaryTheme
        self.concepts = concepts
        self.tags = tags
        self.threads = threads
    }

    /// A thread, by id and name.
    public struct ThreadReference: Codable, Sendable, Hashable {
        /// The thread's row.
        public var id: Int64
        /// The thread's name.
        public var name: String

        /// Creates a reference.
        public init(id: Int64, name: String) {
            self.id = id
            self.name = name
        }
    }
}
