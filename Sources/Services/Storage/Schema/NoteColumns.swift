import GRDB

/// The columns of a file's tables of notes and threads, which differ between old and new files.
struct NoteColumns: Sendable {
    let raw: Set<String>
    let processed: Set<String>
    /// The columns of `threads`; empty when the file has no such table.
    let threads: Set<String>
    /// The columns of `thread_notes`; empty when the file has no such table.
    let threadNotes: Set<String>
    /// The column of `processed_notes` that names the note; nil when there is none.
    let processedNote: String?
    /// The column of `thread_notes` that names the note; nil when there is none.
    let threadNote: String?

    /// The table `raw_notes`.
    let notes: TableColumns

    init(_ database: Database) throws {
        notes = try TableColumns(database, "raw_notes")
        raw = notes.names
        processed = try TableColumns(database, "processed_notes").names
        threads = try TableColumns(database, "threads").names
        threadNotes = try TableColumns(database, "thread_notes").names
        processedNote = Self.noteColumns.first(where: processed.contains)
        threadNote = Self.noteColumns.first(where: threadNotes.contains)
    }

    /// The possible names of the column that refers to a note.
    static let noteColumns = ["note_id", "raw_note_id"]

    /// Whether the file assigns notes to threads.
    var hasThreads: Bool { threadNote != nil && threadNotes.contains("thread_id") }

    /// Returns `n.column`, or NULL where this file has no such column.
    func raw(_ column: String, of alias: String = "n") -> String {
        raw.contains(column) ? "\(alias).\(column)" : "NULL"
    }

    /// Returns `p.column`, or NULL where this file has no such column.
    func processed(_ column: String) -> String { processed.contains(column) ? "p.\(column)" : "NULL" }

    /// The condition that joins a row `p` of `processed_notes` to the note `n`.
    var processedJoin: String { processedNote.map { "p.\($0) = n.id" } ?? "0" }

    /// SQL for the text of a note to embed, empty instead of NULL.
    var embeddedText: String {
        "trim(coalesce(\(boundedRaw("title")), '') || coalesce(\(boundedRaw("content")), ''))"
    }

    /// The condition that hides notes of test runs and rows whose id is not an integer.
    var isShown: String { isShown("n") }

    /// Returns the same condition for another alias.
    func isShown(_ alias: String) -> String {
        let hidden = raw.contains("test_run") ? "\(alias).test_run IS NULL" : "1"
        return notes.hasRowID ? hidden : "\(notes.hasNumber(alias)) AND \(hidden)"
    }

    /// SQL for the hash of a note's text to embed.
    var hash: String { "gateway_hash(\(boundedRaw("title")), \(boundedRaw("content")))" }

    /// `FROM` and `WHERE` for the notes whose vectors in the space `?1` are missing or stale.
    var pending: String {
        """
        FROM raw_notes n LEFT JOIN gateway_embeddings e ON e.space_id = ?1 AND e.note_id = n.id
        WHERE \(isShown) AND \(embeddedText) <> '' AND (e.note_id IS NULL OR e.content_hash IS NOT \(hash))
        """
    }

    /// Returns SQL for a column of `raw_notes`, NULL for values above the size limit.
    func boundedRaw(_ column: String) -> String {
        ValueLimit.bounded(raw(column), column == "content" ? ValueLimit.text : ValueLimit.field)
    }

    /// Returns SQL for a column of `processed_notes`, NULL for values above the size limit.
    func boundedProcessed(_ column: String) -> String { ValueLimit.bounded(processed(column)) }
}
