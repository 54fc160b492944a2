/// A note as the API returns it; fields have the column names of the notes database.
public struct Note: Codable, Sendable, Hashable {
    /// The row id in the database.
    public var id: Int64
    /// The title in one line.
    public var title: String
    /// The note's text.
    public var content: String
    /// The creation time in UTC, as stored in the database.
    public var createdAt: String
    /// The kind of note, such as `idea` or `decision`.
    public var noteType: String?
    /// Whether the note calls for action.
    public var actionability: String?
    /// The main theme found by processing.
    public var primaryTheme: String?
    /// The concepts found by processing; JSON text or a plain list in the database, always a list here.
    public var concepts: [String]
    /// The confidence of processing in each concept, as stored.
    public var conceptConfidence: JSONValue?
    /// Further themes found by processing.
    public var secondaryThemes: [String]?
    /// The sentiment found by processing, such as `positive`.
    public var overallSentiment: String?
    /// The sentiment as a number.
    public var sentimentScore: Double?
    /// The emotional tone found by processing.
    public var emotionalTone: String?
    /// The energy level found by processing.
    public var energyLevel: String?
    /// The author's tags.
    public var tags: [String]
    /// The threads that the note belongs to.
    public var threads: [ThreadReference]
    /// The name of the note in its source, such as the path of its file; absent for a note that was not ingested.
    public var externalId: String?
    /// The place of the text that matched, or its beginning, in one line; only where it was asked for.
    public var snippet: String?
    /// Identifies what an author wrote, for ``NoteUpdate/revision``; only in the reply of one note.
    public var revision: String?

    /// The JSON field names.
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
        case externalId = "external_id"
        case snippet, revision
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

    /// The id and name of a thread.
    public struct ThreadReference: Codable, Sendable, Hashable {
        /// The thread's row id.
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
