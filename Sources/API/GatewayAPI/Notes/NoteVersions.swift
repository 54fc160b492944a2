/// A version of a note that was replaced or deleted.
public struct NoteVersion: Codable, Sendable, Hashable {
    /// The note's id.
    public var noteId: Int64
    /// The number of the version; a larger one is newer.
    public var version: Int64
    /// When the version was replaced: ISO 8601 in UTC.
    public var replacedAt: String
    /// What replaced it: `edited`, `ingested` (a file changed), `deleted`, or `restored` (an earlier version came back).
    public var reason: String
    /// The title.
    public var title: String
    /// The date of the note, as stored.
    public var createdAt: String
    /// The size of the text in bytes.
    public var bytes: Int
    /// When the version is erased: ISO 8601 in UTC.
    public var keptUntil: String
    /// The beginning of the text, at most 200 characters.
    public var start: String?
    /// The author's tags.
    public var tags: [String]
    /// The names of the threads.
    public var threads: [String]
    /// The names of the note in its sources, such as paths of files.
    public var externalIds: [String]
    /// The whole text; only in the reply of one version.
    public var content: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case noteId = "note_id"
        case version
        case replacedAt = "replaced_at"
        case reason, title
        case createdAt = "created_at"
        case bytes
        case keptUntil = "kept_until"
        case start, tags, threads
        case externalIds = "external_ids"
        case content
    }

    /// Creates a version.
    public init(
        noteId: Int64, version: Int64, replacedAt: String, reason: String, title: String, createdAt: String, bytes: Int,
        keptUntil: String
    ) {
        self.noteId = noteId
        self.version = version
        self.replacedAt = replacedAt
        self.reason = reason
        self.title = title
        self.createdAt = createdAt
        self.bytes = bytes
        self.keptUntil = keptUntil
        (tags, threads, externalIds) = ([], [], [])
    }
}

/// The reply of `GET /api/notes/:id/history`.
public struct NoteHistoryResponse: Codable, Sendable, Hashable {
    /// The note's id.
    public var noteId: Int64
    /// Whether the note is deleted; its last text is the first version then.
    public var deleted: Bool
    /// The number of versions in this reply.
    public var count: Int
    /// The versions that were replaced, newest first, without their texts.
    public var versions: [NoteVersion]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case noteId = "note_id"
        case deleted, count, versions
    }

    /// Creates a reply.
    public init(noteId: Int64, deleted: Bool, versions: [NoteVersion]) {
        self.noteId = noteId
        self.deleted = deleted
        count = versions.count
        self.versions = versions
    }
}

/// The reply of `GET /api/notes/deleted`: a page of deleted notes.
public struct DeletedNotesResponse: Codable, Sendable, Hashable {
    /// The number of notes in this reply.
    public var count: Int
    /// The last version of each note, the last deleted first.
    public var notes: [NoteVersion]
    /// The cursor of the next page, for the parameter `cursor`; absent on the last page.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case count, notes
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(notes: [NoteVersion], nextCursor: String?) {
        count = notes.count
        self.notes = notes
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/notes/:id/restore`.
public struct NoteRestore: Codable, Sendable, Hashable {
    /// The version to restore; the last one of a deleted note when absent.
    public var version: Int64?
    /// The ``Note/revision`` that was read; nil to restore over any.
    public var revision: String?

    /// Creates a request.
    public init(version: Int64? = nil, revision: String? = nil) {
        self.version = version
        self.revision = revision
    }
}

/// The reply of `DELETE /api/notes/:id/history`.
public struct ErasedHistoryResponse: Codable, Sendable, Hashable {
    /// Always `erased`.
    public var status: String
    /// The note's id.
    public var id: Int64
    /// The number of erased versions.
    public var versions: Int

    /// Creates a reply.
    public init(id: Int64, versions: Int) {
        status = "erased"
        self.id = id
        self.versions = versions
    }
}
