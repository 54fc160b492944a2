/// A place from which notes come: a folder or a file of the gateway's machine, or what scripts send.
public struct Source: Codable, Sendable, Hashable {
    /// What a source is.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// A folder of Markdown files. The notes follow the files.
        case folder
        /// A file or folder of another format, read again when it changed. Its notes are added and updated, never removed.
        case file
        /// What scripts send to `POST /api/sources/NAME/notes`.
        case script
    }

    /// What the gateway does with it.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// The notes follow the files.
        case following
        /// A person paused it.
        case paused
        /// The folder cannot be reached. Its notes stay.
        case away
        /// So many files are missing that a person has to say what is meant. The notes stay.
        case asking
    }

    /// The row's id.
    public var id: Int64
    /// The unique name: letters, digits, `-`, `_` and `.`, at most 64 bytes.
    public var name: String
    /// What it is.
    public var kind: Kind
    /// The folder or file on the gateway's machine; nil for scripts.
    public var path: String?
    /// The format of a file; nil for the one that its name and content say.
    public var format: String?
    /// Patterns of paths that are left out, as in a `.gitignore`.
    public var ignore: [String]
    /// What the gateway does with it.
    public var state: State
    /// What a person should know of the state.
    public var message: String?
    /// The number of files whose notes are there.
    public var files: Int
    /// The number of files that cannot be read, or have no text.
    public var unread: Int
    /// The number of removed files whose notes are in the bin.
    public var removed: Int
    /// In UTC.
    public var createdAt: String
    /// When the files were last compared, in UTC.
    public var lookedAt: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, name, kind, path, format, ignore, state, message, files, unread, removed
        case createdAt = "created_at"
        case lookedAt = "looked_at"
    }

    /// Creates it from its fields.
    public init(
        id: Int64, name: String, kind: Kind, path: String?, format: String?, ignore: [String], state: State,
        message: String?, files: Int, unread: Int, removed: Int, createdAt: String, lookedAt: String?
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.path = path
        self.format = format
        self.ignore = ignore
        self.state = state
        self.message = message
        self.files = files
        self.unread = unread
        self.removed = removed
        self.createdAt = createdAt
        self.lookedAt = lookedAt
    }
}

/// The reply of `GET /api/sources`.
public struct SourcesResponse: Codable, Sendable, Hashable {
    /// All sources, by name.
    public var sources: [Source]

    /// Creates a reply.
    public init(sources: [Source]) { self.sources = sources }
}

/// A source with what is wrong with its files: the reply of `GET /api/sources/NAME`.
public struct SourceDetails: Codable, Sendable, Hashable {
    /// The source, with its counts.
    public var source: Source
    /// The first files that were not read, at most 200.
    public var problems: [Problem]

    /// Creates a reply.
    public init(source: Source, problems: [Problem]) { (self.source, self.problems) = (source, problems) }

    /// A file that was not read, and why.
    public struct Problem: Codable, Sendable, Hashable {
        /// The path below the folder.
        public var path: String
        /// A phrase for people, in English.
        public var reason: String

        /// Creates a problem.
        public init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }
    }
}

/// A source to add: the body of `POST /api/sources`.
public struct NewSource: Codable, Sendable, Hashable {
    /// The unique name; see ``Source/name``.
    public var name: String
    /// A folder or file on the gateway's machine; nil for notes that scripts send.
    public var path: String?
    /// The format of a file: see `selene ingest --help`.
    public var format: String?
    /// Patterns of paths to leave out.
    public var ignore: [String]?

    /// Creates a source without an id.
    public init(name: String, path: String? = nil, format: String? = nil, ignore: [String]? = nil) {
        (self.name, self.path, self.format, self.ignore) = (name, path, format, ignore)
    }
}

/// What to do with a source: the body of `PATCH /api/sources/NAME`.
public struct SourceChange: Codable, Sendable, Hashable {
    /// True to pause, false to go on.
    public var paused: Bool?
    /// Whether the missing files of a source that asks are really gone.
    public var acceptMissing: Bool?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case paused
        case acceptMissing = "accept_missing"
    }

    /// Creates a change.
    public init(paused: Bool? = nil, acceptMissing: Bool? = nil) {
        (self.paused, self.acceptMissing) = (paused, acceptMissing)
    }
}

/// The reply of `DELETE /api/sources/NAME`.
public struct RemovedSource: Codable, Sendable, Hashable {
    /// The name that is free now.
    public var name: String
    /// The number of notes that went to the bin with it.
    public var removedNotes: Int

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case name
        case removedNotes = "removed_notes"
    }

    /// Creates a reply.
    public init(name: String, removedNotes: Int) { (self.name, self.removedNotes) = (name, removedNotes) }
}

/// Notes that a script sends: the body of `POST /api/sources/NAME/notes`.
public struct SourceNotesRequest: Codable, Sendable, Hashable {
    /// 1 to 500 notes.
    public var notes: [Item]

    /// Creates a request.
    public init(notes: [Item]) { self.notes = notes }

    /// A note with the name that the script gives it. The same id again updates the note.
    public struct Item: Codable, Sendable, Hashable {
        /// Unique within the source, 1 to 1024 bytes.
        public var id: String
        /// One line; the first line of the text when nil.
        public var title: String?
        /// The text.
        public var content: String
        /// When it was written, in the formats of ``NewNote/createdAt``; now when nil.
        public var createdAt: String?
        /// The kind of note.
        public var noteType: String?
        /// Tags; the hashtags of the text when nil.
        public var tags: [String]?
        /// Names of threads; missing ones are created.
        public var threads: [String]?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case id, title, content, tags, threads
            case createdAt = "created_at"
            case noteType = "note_type"
        }

        /// Creates a note.
        public init(
            id: String, title: String? = nil, content: String, createdAt: String? = nil, noteType: String? = nil,
            tags: [String]? = nil, threads: [String]? = nil
        ) {
            self.id = id
            self.title = title
            self.content = content
            self.createdAt = createdAt
            self.noteType = noteType
            self.tags = tags
            self.threads = threads
        }
    }
}
