/// The body of `POST /webhook/api/export-obsidian`; may be absent.
public struct ExportRequest: Codable, Sendable, Hashable {
    /// The id of the only note to write; all notes when absent.
    public var noteId: Int64?

    /// Creates a request.
    public init(noteId: Int64? = nil) { self.noteId = noteId }
}

/// The reply of `POST /webhook/api/export-obsidian`.
public struct ExportResponse: Codable, Sendable, Hashable {
    /// Whether every note was written.
    public var success: Bool
    /// Written files.
    public var exportedCount: Int
    /// Files that were already up to date.
    public var unchangedCount: Int
    /// Files that were removed because their note was deleted or renamed.
    public var removedCount: Int
    /// Files that another program edited since the last export; they are left unchanged.
    public var keptCount: Int
    /// Notes that could not be written.
    public var errors: Int
    /// A summary in one sentence, with the first error when a note failed.
    public var message: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case success, errors, message
        case exportedCount = "exported_count"
        case unchangedCount = "unchanged_count"
        case removedCount = "removed_count"
        case keptCount = "kept_count"
    }

    /// Creates a reply.
    public init(
        success: Bool, exportedCount: Int, unchangedCount: Int, removedCount: Int, keptCount: Int, errors: Int,
        message: String
    ) {
        self.success = success
        self.exportedCount = exportedCount
        self.unchangedCount = unchangedCount
        self.removedCount = removedCount
        self.keptCount = keptCount
        self.errors = errors
        self.message = message
    }
}
