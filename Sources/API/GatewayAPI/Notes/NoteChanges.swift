/// A new note: the body of `POST /api/notes` and of the capture route `POST /webhook/api/drafts`.
public struct NewNote: Codable, Sendable, Hashable {
    /// The title in one line; 1 to 4096 bytes.
    public var title: String
    /// The text; not empty.
    public var content: String
    /// When the note was written: ISO 8601, `YYYY-MM-DD HH:MM:SS` in UTC, or `YYYY-MM-DD`; now when absent.
    public var createdAt: String?
    /// The kind of note.
    public var noteType: String?
    /// Whether the note calls for action.
    public var actionability: String?
    /// The author's tags, at most 100; when absent, the words of the content that start with `#`.
    public var tags: [String]?
    /// Names of threads, at most 100; missing threads are created.
    public var threads: [String]?
    /// Marks a note of a test run, which no route returns; only the capture route accepts this field.
    public var testRun: String?

    /// The JSON field names; decoding also accepts camelCase.
    public enum CodingKeys: String, CodingKey {
        case title, content
        case createdAt = "created_at"
        case noteType = "note_type"
        case actionability, tags, threads
        case testRun = "test_run"
    }

    private enum Alias: String, CodingKey { case createdAt, noteType, testRun }

    /// Creates a note.
    public init(
        title: String, content: String, createdAt: String? = nil, noteType: String? = nil,
        actionability: String? = nil, tags: [String]? = nil, threads: [String]? = nil, testRun: String? = nil
    ) {
        self.title = title
        self.content = content
        self.createdAt = createdAt
        self.noteType = noteType
        self.actionability = actionability
        self.tags = tags
        self.threads = threads
        self.testRun = testRun
    }

    /// Decodes camelCase and snake_case field names.
    public init(from decoder: any Decoder) throws {
        let own = try decoder.container(keyedBy: CodingKeys.self)
        let alias = try decoder.container(keyedBy: Alias.self)
        title = try own.decode(String.self, forKey: .title)
        content = try own.decode(String.self, forKey: .content)
        createdAt = try own.decodeIfPresent(String.self, forKey: .createdAt, or: .createdAt, in: alias)
        noteType = try own.decodeIfPresent(String.self, forKey: .noteType, or: .noteType, in: alias)
        actionability = try own.decodeIfPresent(String.self, forKey: .actionability)
        tags = try own.decodeIfPresent([String].self, forKey: .tags)
        threads = try own.decodeIfPresent([String].self, forKey: .threads)
        testRun = try own.decodeIfPresent(String.self, forKey: .testRun, or: .testRun, in: alias)
    }
}

/// A change of a note: the body of `PUT` and `PATCH /api/notes/:id`. Absent fields keep their value.
public struct NoteUpdate: Codable, Sendable, Hashable {
    /// A new title.
    public var title: String?
    /// A new text.
    public var content: String?
    /// A new date, in the formats of ``NewNote/createdAt``.
    public var createdAt: String?
    /// A new kind, or null.
    public var noteType: FieldUpdate<String>
    /// A new actionability, or null.
    public var actionability: FieldUpdate<String>
    /// The complete new list of tags.
    public var tags: [String]?
    /// The complete new list of threads, by name.
    public var threads: [String]?
    /// The ``Note/revision`` that the change is based on; nil to change any.
    public var revision: String?

    /// The JSON field names; decoding also accepts camelCase.
    public enum CodingKeys: String, CodingKey {
        case title, content
        case createdAt = "created_at"
        case noteType = "note_type"
        case actionability, tags, threads, revision
    }

    private enum Alias: String, CodingKey { case createdAt, noteType }

    /// Creates a change.
    public init(
        title: String? = nil, content: String? = nil, createdAt: String? = nil,
        noteType: FieldUpdate<String> = .keep, actionability: FieldUpdate<String> = .keep, tags: [String]? = nil,
        threads: [String]? = nil, revision: String? = nil
    ) {
        self.title = title
        self.content = content
        self.createdAt = createdAt
        self.noteType = noteType
        self.actionability = actionability
        self.tags = tags
        self.threads = threads
        self.revision = revision
    }

    /// Decodes camelCase and snake_case field names.
    public init(from decoder: any Decoder) throws {
        let own = try decoder.container(keyedBy: CodingKeys.self)
        let alias = try decoder.container(keyedBy: Alias.self)
        title = try own.decodeIfPresent(String.self, forKey: .title)
        content = try own.decodeIfPresent(String.self, forKey: .content)
        createdAt = try own.decodeIfPresent(String.self, forKey: .createdAt, or: .createdAt, in: alias)
        noteType = try own.update(String.self, forKey: .noteType).or(alias.update(String.self, forKey: .noteType))
        actionability = try own.update(String.self, forKey: .actionability)
        tags = try own.decodeIfPresent([String].self, forKey: .tags)
        threads = try own.decodeIfPresent([String].self, forKey: .threads)
        revision = try own.decodeIfPresent(String.self, forKey: .revision)
    }

    /// Encodes the fields that change.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(title, forKey: .title)
        try container.encodeIfPresent(content, forKey: .content)
        try container.encodeIfPresent(createdAt, forKey: .createdAt)
        try container.encode(noteType, forKey: .noteType)
        try container.encode(actionability, forKey: .actionability)
        try container.encodeIfPresent(tags, forKey: .tags)
        try container.encodeIfPresent(threads, forKey: .threads)
        try container.encodeIfPresent(revision, forKey: .revision)
    }
}

/// The reply of the capture route `POST /webhook/api/drafts`.
public struct CaptureResponse: Codable, Sendable, Hashable {
    /// `created`, or `duplicate` when a note with the same title and content exists.
    public var status: String
    /// The id of the new or existing note.
    public var id: Int64

    /// Creates a reply.
    public init(status: String, id: Int64) {
        self.status = status
        self.id = id
    }
}

/// The reply to the deletion of a row with a numeric id.
public struct DeletedResponse: Codable, Sendable, Hashable {
    /// Always `deleted`.
    public var status: String
    /// The deleted row's id.
    public var id: Int64

    /// Creates a reply.
    public init(id: Int64) {
        status = "deleted"
        self.id = id
    }
}
