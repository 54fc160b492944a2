/// Files to store as notes: the body of `POST /api/notes/import`.
public struct NoteImportRequest: Codable, Sendable, Hashable {
    /// The files, 1 to 500.
    public var files: [File]

    /// Creates a request.
    public init(files: [File]) { self.files = files }

    /// A Markdown or text file.
    public struct File: Codable, Sendable, Hashable {
        /// The path below the folder that was chosen, or the file's name; 1 to 1024 bytes. It identifies the file.
        public var path: String
        /// The text of the file, with its front matter.
        public var content: String
        /// When the file was modified, in the formats of ``NewNote/createdAt``: the note's date, if the file says none.
        public var modifiedAt: String?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case path, content
            case modifiedAt = "modified_at"
        }

        /// Creates a file.
        public init(path: String, content: String, modifiedAt: String? = nil) {
            self.path = path
            self.content = content
            self.modifiedAt = modifiedAt
        }
    }
}

/// The reply of `POST /api/notes/import`.
public struct NoteImportResponse: Codable, Sendable, Hashable {
    /// New notes.
    public var created: Int
    /// Notes that got the text of a file that had changed.
    public var updated: Int
    /// Files whose notes were there.
    public var unchanged: Int
    /// The paths of files without text. They were not stored.
    public var empty: [String]
    /// What a person should know about files that were stored, or were left.
    public var remarks: [Remark]

    /// Creates a reply.
    public init(created: Int, updated: Int, unchanged: Int, empty: [String], remarks: [Remark]) {
        self.created = created
        self.updated = updated
        self.unchanged = unchanged
        self.empty = empty
        self.remarks = remarks
    }

    /// What a person should know about a file.
    public struct Remark: Codable, Sendable, Hashable {
        /// The path of the file.
        public var path: String
        /// `both_kept`: the file and its note changed, and both are kept. `deleted_here`: the note was deleted in the gateway, and
        /// stays deleted. `read_as`: a part was not read as it was written; the note has its text.
        public var kind: String
        /// A sentence for people, in English.
        public var message: String
        /// The id of the note that was there.
        public var noteId: Int64?

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case path, kind, message
            case noteId = "note_id"
        }

        /// Creates a remark.
        public init(path: String, kind: String, message: String, noteId: Int64? = nil) {
            self.path = path
            self.kind = kind
            self.message = message
            self.noteId = noteId
        }
    }
}
