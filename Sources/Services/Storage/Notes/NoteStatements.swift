import GRDB

/// The statements that a ``NoteWriter`` runs for each note, prepared once, at their first use.
///
/// Preparing a statement with the triggers of `raw_notes` takes longer than running it, and so does finding it in the
/// connection's cache by its text.
final class NoteStatements {
    enum Kind: Int, CaseIterable {
        /// Inserts a note: its columns.
        case insertion
        /// Finds a note by the name in its source: that name.
        case sourced
        /// Finds a note by its text: the hash.
        case hashed
        /// Sets a note's text and date where they differ: title, content, date or NULL, the note.
        case text
        /// Finds a note with another title, text or tags: the note, title, content, tags.
        case differing
        /// Finds a note with another title or text: the note, title, content.
        case differingText
        /// Sets a note's tags where they differ: the tags, the note.
        case tags
    }

    private let database: Database
    private let written: [String]
    private var prepared: [RowStatement?]

    /// - Parameter written: The columns of a new note, in the order of their parameters.
    init(_ database: Database, written: [String]) {
        self.database = database
        self.written = written
        prepared = Array(repeating: nil, count: Kind.allCases.count)
    }

    subscript(kind: Kind) -> RowStatement {
        get throws {
            if let known = prepared[kind.rawValue] { return known }
            let statement = try RowStatement(database, sql(kind))
            prepared[kind.rawValue] = statement
            return statement
        }
    }

    private func sql(_ kind: Kind) -> String {
        switch kind {
        case .insertion:
            """
            INSERT INTO raw_notes (\(written.joined(separator: ", ")))
            VALUES (\(databaseQuestionMarks(count: written.count)))
            """
        case .sourced:
            """
            SELECT s.note_id FROM gateway_note_sources s JOIN raw_notes n ON n.id = s.note_id
            WHERE s.external_id = ?
            """
        case .hashed: "SELECT id FROM raw_notes WHERE content_hash = ?"
        case .text:
            """
            UPDATE raw_notes SET title = ?1, content = ?2, created_at = coalesce(?3, created_at) WHERE id = ?4
            AND (title <> ?1 OR content <> ?2 OR created_at <> coalesce(?3, created_at))
            """
        case .differing:
            "SELECT id FROM raw_notes WHERE id = ?1 AND (title <> ?2 OR content <> ?3 OR tags IS NOT ?4)"
        case .differingText: "SELECT id FROM raw_notes WHERE id = ?1 AND (title <> ?2 OR content <> ?3)"
        case .tags: "UPDATE raw_notes SET tags = ?1 WHERE id = ?2 AND tags IS NOT ?1"
        }
    }
}
