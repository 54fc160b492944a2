import GRDB

/// Which columns a file's tables of notes and threads have: they grew over the years, and old files still open.
struct NoteColumns: Sendable {
    let raw: Set<String>
    let processed: Set<String>
    /// Empty when the file has no such table.
    let threads: Set<String>
    /// Empty when the file has no such table.
    let threadNotes: Set<String>

    init(_ database: Database) throws {
        raw = try Self.names(database, "raw_notes")
        processed = try Self.names(database, "processed_notes")
        threads = try database.tableExists("threads") ? Self.names(database, "threads") : []
        threadNotes = try database.tableExists("thread_notes") ? Self.names(database, "thread_notes") : []
    }

    private static func names(_ database: Database, _ table: String) throws -> Set<String> {
        Set(try database.columns(in: table).map { $0.name.lowercased() })
    }

    /// Whether the file says which notes belong to which thread.
    var hasThreads: Bool { threadNotes.isSuperset(of: ["thread_id", "note_id"]) }

    /// `n.column`, or NULL where this file has no such column.
    func raw(_ column: String) -> String { raw.contains(column) ? "n.\(column)" : "NULL" }

    /// `p.column`, or NULL where this file has no such column.
    func processed(_ column: String) -> String { processed.contains(column) ? "p.\(column)" : "NULL" }

    /// The condition that hides the notes of test runs.
    var isShown: String { raw.contains("test_run") ? "n.test_run IS NULL" : "1" }
}
