import GRDB

extension NoteStore {
    /// Stores drafts in one transaction: all of them, or none when this throws.
    ///
    /// A draft with a known external id updates its note, by the rules of ``IngestStep``. A draft without an external id is a duplicate when a note
    /// with the same title and content exists.
    package func insert(_ drafts: [NoteDraft]) async throws -> InsertOutcome {
        try await database.writeBulk { database, layout in
            var outcome = InsertOutcome()
            let writer = NoteWriter(
                database: database, columns: layout.columns, versions: NoteVersions(database, layout))
            for draft in drafts { try writer.store(draft.storable, into: &outcome) }
            return outcome
        }
    }

    /// Creates a note, unless a note with the same title and content exists.
    ///
    /// - Parameters:
    ///   - testRun: Marks a note of a test run, which is never shown.
    ///   - request: The name of the request; a repeated request returns the note that the first one created.
    /// - Throws: ``StorageError``: `reused` when the name belongs to a request for another note, `duplicate` when the
    ///   request's note was deleted since.
    package func create(
        _ draft: NoteDraft, testRun: String? = nil, request: NoteRequest? = nil
    ) async throws -> NoteCreation {
        let hashes = database.noteHashes
        hashes.prepare(database)
        return try await database.write { database, layout in
            let (columns, schema) = (layout.columns, layout.schema)
            if let known = try request?.note(for: draft, in: database) { return .created(known) }
            let style = try DateStyle.of(schema.rawNotes, "created_at", in: database)
            let writer = NoteWriter(database: database, columns: columns, dateStyle: style)
            if let known = try writer.anyDuplicate(of: draft, hashes) { return .duplicate(known) }
            let id: Int64
            do {
                id = try writer.insert(draft)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // Some files allow one note per content hash, even after that note's text has changed.
                guard let known = try writer.duplicate(of: draft) else { throw error }
                return .duplicate(known)
            }
            if let testRun, columns.raw.contains("test_run") {
                try database.execute(
                    sql: "UPDATE raw_notes SET test_run = ? WHERE id = ?", arguments: [testRun, id])
            }
            try request?.record(id, for: draft, in: database)
            return .created(id)
        }
    }

    /// Changes a note.
    ///
    /// - Parameter revision: The revision that the change is based on; nil to change any.
    /// - Returns: false when the note does not exist.
    /// - Throws: ``StorageError``: `conflict` when another note has the new title and content, or when the note has another
    ///   revision.
    package func update(_ id: Int64, _ change: NoteChange, revision: String? = nil) async throws -> Bool {
        let hashes = database.noteHashes
        return try await database.write { database, layout in
            let (columns, schema) = (layout.columns, layout.schema)
            guard let note = try Self.load(database, columns, [id]).first else { return false }
            try note.require(revision: revision)
            let style = try DateStyle.of(schema.rawNotes, "created_at", in: database)
            let writer = NoteWriter(database: database, columns: columns, dateStyle: style)
            let versions = NoteVersions(database, layout)
            let before = try versions.record(id)
            try writer.change(note, change, hashes)
            // A repeated request changes nothing.
            if let before, try versions.record(id) != before { try versions.keep(before, .edited) }
            return true
        }
    }

    /// Deletes a note with its analysis, thread entries, associations and vectors; ``NoteHistory`` keeps the note. Follows the references that other
    /// tables declare: `CASCADE` deletes rows, `SET NULL` clears their columns.
    ///
    /// - Parameter revision: The revision that was read; nil to delete any.
    /// - Returns: false when the note does not exist.
    /// - Throws: ``StorageError``: `conflict` when a table's reference forbids the deletion, or when the note has another
    ///   revision.
    package func delete(_ id: Int64, revision: String? = nil) async throws -> Bool {
        try await database.write { database, layout in
            guard let note = try Self.load(database, layout.columns, [id]).first else { return false }
            try note.require(revision: revision)
            let versions = NoteVersions(database, layout)
            if let record = try versions.record(id) { try versions.keep(record, .deleted) }
            try NoteReferences.delete(of: id, database, layout)
            try database.execute(sql: "DELETE FROM raw_notes WHERE id = ?", arguments: [id])
            return true
        }
    }
}
