/// The body of `POST /webhook/api/export-obsidian`; may be absent.
public struct ExportRequest: Codable, Sendable, Hashable {
    /// The one note to write; all of them when absent.
    public var noteId: Int64?

    /// Creates a request.
    public init(noteId: Int64? = nil) { self.noteId = noteId }
}

/// The reply of `POST /webhook/api/export-obsidian`.
public struct ExportResponse: Codable, Sendable, Hashable {
    /// Whether every note could be written.
    public var success: Bool
    /// Files that were written.
    public var exportedCount: Int
    /// Files that were up to date already.
    public var unchangedCount: Int
    /// Files that went because their note is gone or has another name now.
    public var removedCount: Int
    /// Files that somebody else edited since: they are left as they are.
    public var keptCount: Int
    /// Notes that could not be written.
    public var errors: Int
    /// One sentence, with the first reason when something failed.
    public var message: String

    /// The names on the wire.
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
