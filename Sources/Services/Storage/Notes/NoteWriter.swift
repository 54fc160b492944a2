import Foundation
import GRDB

/// Writes drafts within a transaction.
struct NoteWriter {
    let database: Database
    let columns: NoteColumns
    /// The date format of new notes.
    let dateStyle: DateStyle
    /// The time of the writes, in that format and in that of imports.
    private let now: (created: String, imported: String)
    /// The columns of new notes that the table has.
    private let written: [NoteColumn]
    private let insertion: String

    private enum NoteColumn: String, CaseIterable {
        case title, content, created_at, content_hash, source_type, word_count, character_count, tags, imported_at,
            status
    }

    init(database: Database, columns: NoteColumns, dateStyle: DateStyle = .spaced) {
        self.database = database
        self.columns = columns
        self.dateStyle = dateStyle
        now = (dateStyle.now, Timestamp.now)
        written = NoteColumn.allCases.filter { columns.raw.contains($0.rawValue) }
        insertion = """
            INSERT INTO raw_notes (\(written.map(\.rawValue).joined(separator: ", ")))
            VALUES (\(databaseQuestionMarks(count: written.count)))
            """
    }

    func store(_ draft: NoteDraft, into outcome: inout InsertOutcome) throws {
        if let externalID = draft.externalID {
            let finding = try database.cachedStatement(
                sql: """
                    SELECT s.note_id FROM gateway_note_sources s JOIN raw_notes n ON n.id = s.note_id
                    WHERE s.external_id = ?
                    """)
            let known = try Row.fetchOne(finding, arguments: [externalID])?.integer(0)
            if let known {
                if try update(known, with: draft) { outcome.updated += 1 } else { outcome.unchanged += 1 }
                return
            }
        } else if try duplicate(of: draft) != nil {
            outcome.unchanged += 1
            return
        }
        let id: Int64
        do {
            id = try insert(draft)
            outcome.inserted += 1
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // Some files allow one note per content hash: the new name then points to the existing note.
            guard let existing = try duplicate(of: draft) else { throw error }
            id = existing
            outcome.unchanged += 1
        }
        if let externalID = draft.externalID {
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO gateway_note_sources (external_id, note_id) VALUES (?, ?)"
            ).execute(arguments: [externalID, id])
        }
    }

    func hash(_ draft: NoteDraft) -> String {
        Hexadecimal.text(ContentHash.of(title: draft.title, content: draft.content))
    }

    func duplicate(of draft: NoteDraft) throws -> Int64? {
        if columns.raw.contains("content_hash"),
            let id = try Scalar.integer(
                database, sql: "SELECT id FROM raw_notes WHERE content_hash = ?", arguments: [hash(draft)])
        {
            return id
        }
        return nil
    }

    func insert(_ draft: NoteDraft) throws -> Int64 {
        let sizes = TextSizes(draft.content)
        let values = written.map { column -> (any DatabaseValueConvertible)? in
            switch column {
            case .title: draft.title
            case .content: draft.content
            case .created_at: draft.createdAt.map(dateStyle.text) ?? now.created
            case .content_hash: hash(draft)
            case .source_type: draft.source
            case .word_count: sizes.words
            case .character_count: sizes.characters
            case .tags: StoredList.encode(draft.tags)
            case .imported_at: now.imported
            case .status: "pending"
            }
        }
        // Preparing a statement with the triggers of the table takes longer than running it.
        try database.cachedStatement(sql: insertion).execute(arguments: StatementArguments(values))
        let id = database.lastInsertedRowID
        try setProcessed(of: id, draft)
        try join(id, draft)
        return id
    }

    private func update(_ id: Int64, with draft: NoteDraft) throws -> Bool {
        let before = database.totalChangesCount
        let created = draft.createdAt.map(Timestamp.text)
        try database.execute(
            sql: """
                UPDATE raw_notes SET title = ?1, content = ?2, created_at = coalesce(?3, created_at) WHERE id = ?4
                AND (title <> ?1 OR content <> ?2 OR created_at <> coalesce(?3, created_at))
                """, arguments: [draft.title, draft.content, created, id])
        if database.changesCount > 0, columns.raw.contains("content_hash") {
            try database.execute(
                sql: "UPDATE OR IGNORE raw_notes SET content_hash = ? WHERE id = ?", arguments: [hash(draft), id])
        }
        if columns.raw.contains("tags") {
            try database.execute(
                sql: "UPDATE raw_notes SET tags = ?1 WHERE id = ?2 AND tags IS NOT ?1",
                arguments: [StoredList.encode(draft.tags), id])
        }
        try setProcessed(of: id, draft)
        try join(id, draft)
        return database.totalChangesCount > before
    }

    /// Writes the draft's own kind and actionability, and keeps the rest of the analysis.
    func setProcessed(of id: Int64, _ draft: NoteDraft) throws {
        let values = [("note_type", draft.noteType), ("actionability", draft.actionability)].filter {
            $0.1 != nil && columns.processed.contains($0.0)
        }
        guard !values.isEmpty, let note = columns.processedNote else { return }
        try ensureProcessed(id)
        for (column, value) in values {
            try database.cachedStatement(
                sql: "UPDATE processed_notes SET \(column) = ?1 WHERE \(note) = ?2 AND \(column) IS NOT ?1"
            ).execute(arguments: [value, id])
        }
    }

    /// Ensures that the note has a row in `processed_notes`.
    func ensureProcessed(_ id: Int64) throws {
        guard let note = columns.processedNote else { return }
        let finding = try database.cachedStatement(sql: "SELECT 1 FROM processed_notes WHERE \(note) = ?")
        if try Row.fetchOne(finding, arguments: [id]) == nil {
            try database.cachedStatement(sql: "INSERT INTO processed_notes (\(note)) VALUES (?)")
                .execute(arguments: [id])
        }
    }

    func join(_ id: Int64, _ draft: NoteDraft) throws {
        guard let note = columns.threadNote else { return }
        for name in draft.threads where !name.isEmpty {
            let known = try database.cachedStatement(sql: "SELECT id FROM threads WHERE name = ? ORDER BY id")
            var thread = try Row.fetchOne(known, arguments: [name])?.integer(0)
            if thread == nil {
                try database.execute(
                    sql: "INSERT INTO threads (name, status) VALUES (?, 'active')", arguments: [name])
                thread = database.lastInsertedRowID
            }
            let finding = try database.cachedStatement(
                sql: "SELECT 1 FROM thread_notes WHERE thread_id = ? AND \(note) = ?")
            if try Row.fetchOne(finding, arguments: [thread, id]) == nil {
                try database.cachedStatement(sql: "INSERT INTO thread_notes (thread_id, \(note)) VALUES (?, ?)")
                    .execute(arguments: [thread, id])
            }
        }
    }
}
