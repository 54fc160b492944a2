import GRDB

/// Which columns a file's tables of notes and threads have: they grew over the years, and old files still open.
struct NoteColumns: Sendable {
    let raw: Set<String>
    let processed: Set<String>
    /// Empty when the file has no such table.
    let threads: Set<String>
    /// Empty when the file has no such table.
    let threadNotes: Set<String>
    /// The column of `processed_notes` that names the note; nil when there is none.
    let processedNote: String?
    /// The column of `thread_notes` that names the note; nil when there is none.
    let threadNote: String?

    init(_ database: Database) throws {
        raw = try TableColumns(database, "raw_notes").names
        processed = try TableColumns(database, "processed_notes").names
        threads = try TableColumns(database, "threads").names
        threadNotes = try TableColumns(database, "thread_notes").names
        processedNote = Self.noteColumns.first(where: processed.contains)
        threadNote = Self.noteColumns.first(where: threadNotes.contains)
    }

    /// What a column is called that names a note.
    static let noteColumns = ["note_id", "raw_note_id"]

    /// Whether the file says which notes belong to which thread.
    var hasThreads: Bool { threadNote != nil && threadNotes.contains("thread_id") }

    /// `n.column`, or NULL where this file has no such column.
    func raw(_ column: String) -> String { raw.contains(column) ? "n.\(column)" : "NULL" }

    /// `p.column`, or NULL where this file has no such column.
    func processed(_ column: String) -> String { processed.contains(column) ? "p.\(column)" : "NULL" }

    /// The condition under which a row `p` of findings belongs to the note `n`.
    var processedJoin: String { processedNote.map { "p.\($0) = n.id" } ?? "0" }

    /// The condition that hides the notes of test runs.
    var isShown: String { isShown("n") }

    /// The same for another alias.
    func isShown(_ alias: String) -> String { raw.contains("test_run") ? "\(alias).test_run IS NULL" : "1" }
}
