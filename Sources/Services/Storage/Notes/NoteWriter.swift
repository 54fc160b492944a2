import Foundation
import GRDB

/// Writes one draft within a transaction.
struct NoteWriter {
    let database: Database
    let columns: NoteColumns
    /// The date format of new notes.
    var dateStyle = DateStyle.spaced

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
        ContentHash.of(title: draft.title, content: draft.content).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
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
        let values: [(column: String, value: (any DatabaseValueConvertible)?)] = [
            ("title", draft.title), ("content", draft.content),
            ("created_at", draft.createdAt.map(dateStyle.text) ?? dateStyle.now),
            ("content_hash", hash(draft)), ("source_type", draft.source),
            ("word_count", sizes.words), ("character_count", sizes.characters), ("tags", StoredList.encode(draft.tags)),
            ("imported_at", Timestamp.now), ("status", "pending"),
        ]
        let known = values.filter { columns.raw.contains($0.column) }
        // Preparing a statement with the triggers of the table takes longer than running it.
        try database.cachedStatement(
            sql: """
                INSERT INTO raw_notes (\(known.map(\.column).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: known.count)))
                """
        ).execute(arguments: StatementArguments(known.map(\.value)))
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
            try database.execute(
                sql: "UPDATE processed_notes SET \(column) = ?1 WHERE \(note) = ?2 AND \(column) IS NOT ?1",
                arguments: [value, id])
        }
    }

    /// Ensures that the note has a row in `processed_notes`.
    func ensureProcessed(_ id: Int64) throws {
        guard let note = columns.processedNote else { return }
        let found = try Scalar.count(
            database, sql: "SELECT 1 FROM processed_notes WHERE \(note) = ?", arguments: [id])
        if found == nil {
            try database.execute(sql: "INSERT INTO processed_notes (\(note)) VALUES (?)", arguments: [id])
        }
    }

    func join(_ id: Int64, _ draft: NoteDraft) throws {
        guard let note = columns.threadNote else { return }
        for name in draft.threads where !name.isEmpty {
            var thread = try Scalar.integer(
                database, sql: "SELECT id FROM threads WHERE name = ? ORDER BY id", arguments: [name])
            if thread == nil {
                try database.execute(
                    sql: "INSERT INTO threads (name, status) VALUES (?, 'active')", arguments: [name])
                thread = database.lastInsertedRowID
            }
            let joined = try Scalar.count(
                database, sql: "SELECT 1 FROM thread_notes WHERE thread_id = ? AND \(note) = ?",
                arguments: [thread, id])
            if joined == nil {
                try database.execute(
                    sql: "INSERT INTO thread_notes (thread_id, \(note)) VALUES (?, ?)", arguments: [thread, id])
            }
        }
    }
}
