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

    /// The table of notes itself.
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

    /// What a column is called that names a note.
    static let noteColumns = ["note_id", "raw_note_id"]

    /// Whether the file says which notes belong to which thread.
    var hasThreads: Bool { threadNote != nil && threadNotes.contains("thread_id") }

    /// `n.column`, or NULL where this file has no such column.
    func raw(_ column: String, of alias: String = "n") -> String {
        raw.contains(column) ? "\(alias).\(column)" : "NULL"
    }

    /// `p.column`, or NULL where this file has no such column.
    func processed(_ column: String) -> String { processed.contains(column) ? "p.\(column)" : "NULL" }

    /// The condition under which a row `p` of findings belongs to the note `n`.
    var processedJoin: String { processedNote.map { "p.\($0) = n.id" } ?? "0" }

    /// The text of a note that is embedded, empty instead of NULL.
    var embeddedText: String {
        "trim(coalesce(\(boundedRaw("title")), '') || coalesce(\(boundedRaw("content")), ''))"
    }

    /// The condition that hides the notes of test runs, and rows whose id is no whole number.
    var isShown: String { isShown("n") }

    /// The same for another alias.
    func isShown(_ alias: String) -> String {
        let hidden = raw.contains("test_run") ? "\(alias).test_run IS NULL" : "1"
        return notes.hasRowID ? hidden : "\(notes.hasNumber(alias)) AND \(hidden)"
    }

    /// The hash of a note's embedded text.
    var hash: String { "gateway_hash(\(boundedRaw("title")), \(boundedRaw("content")))" }

    /// `FROM` and `WHERE` for the notes whose vectors in the space `?1` are missing or were made of another text.
    var pending: String {
        """
        FROM raw_notes n LEFT JOIN gateway_embeddings e ON e.space_id = ?1 AND e.note_id = n.id
        WHERE \(isShown) AND \(embeddedText) <> '' AND (e.note_id IS NULL OR e.content_hash IS NOT \(hash))
        """
    }

    /// The value of a column of the notes, NULL when it is larger than what is read.
    func boundedRaw(_ column: String) -> String {
        ValueLimit.bounded(raw(column), column == "content" ? ValueLimit.text : ValueLimit.field)
    }

    /// The value of a column of the findings, NULL when it is larger than what is read.
    func boundedProcessed(_ column: String) -> String { ValueLimit.bounded(processed(column)) }
}
