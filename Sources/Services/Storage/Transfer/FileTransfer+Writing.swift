import Foundation
import GRDB

/// A file as the target of a migration.
extension FileTransfer {
    package func transferState() async throws -> TransferState? {
        try await database.read { TransferState(try MetaTable.text(Self.stateKey, in: $0)) }
    }

    package func begin(_ state: TransferState) async throws {
        try await database.write { database, layout in
            for name in ["title", "content", "created_at", "tags", "test_run"] where !layout.columns.raw.contains(name)
            {
                throw StorageError(.schema, "the file's table raw_notes has no column \(name), which notes need")
            }
            guard layout.columns.notes.hasRowID, layout.columns.processedNote != nil,
                layout.columns.processed.isSuperset(of: ["note_type", "actionability"]), layout.columns.hasThreads
            else { throw StorageError(.schema, "the file's tables of notes lack columns that notes need") }
            try MetaTable.set(Self.stateKey, state.text, in: database)
        }
    }

    /// - Throws: ``StorageError/Code/conflict`` when another run has taken over.
    static func check(_ state: TransferState, _ database: Database) throws {
        let stored = TransferState(try MetaTable.text(stateKey, in: database))
        guard stored?.run == state.run else {
            throw StorageError(.conflict, "another migration into this file has begun; this one ends")
        }
    }

    package func apply(_ notes: [TransferNote], removing: [Int64], _ state: TransferState) async throws {
        try await database.write { database, layout in
            try Self.check(state, database)
            try FileTransferWriting(database, layout).apply(notes, removing: removing)
            try MetaTable.set(Self.stateKey, state.text, in: database)
        }
    }

    package func apply(_ threads: [ThreadRecord], _ state: TransferState) async throws {
        try await database.write { database, layout in
            try Self.check(state, database)
            let writing = FileTransferWriting(database, layout)
            var kept: Set<Int64> = []
            for thread in threads {
                try writing.store(thread)
                kept.insert(thread.id)
            }
            for id in try Scalar.integers(database, sql: "SELECT id FROM threads WHERE typeof(id) = 'integer'")
            where !kept.contains(id) {
                try database.execute(sql: "DELETE FROM threads WHERE id = ?", arguments: [id])
            }
        }
    }

    package func ensure(_ spaces: [EmbeddingSpace]) async throws {
        for space in spaces { _ = try await database.spaces.ensure(space) }
    }

    package func finish(_ spaces: TransferSpaces, _ state: TransferState) async throws {
        let stored = try await database.read { try Self.spaces($0) }
        func id(_ space: EmbeddingSpace?) -> SpaceID? { stored.first { $0.space == space }?.id }
        if let active = id(spaces.active), try await transferSpaces().active != spaces.active {
            try await database.spaces.activate(active)
        }
        let (previous, last) = (id(spaces.previous), try await endOfChanges())
        try await database.write { database in
            try Self.check(state, database)
            var state = state
            state.ownChanges = last
            if let previous { try MetaTable.set("previous_space", String(previous), in: database) }
            try MetaTable.set(Self.stateKey, state.text, in: database)
        }
    }
}

/// Writes records into a file's tables within a transaction.
struct FileTransferWriting {
    private let database: Database
    private let columns: NoteColumns
    private let threads: TableColumns

    init(_ database: Database, _ layout: FileLayout) {
        self.database = database
        columns = layout.columns
        threads = layout.schema.threads
    }

    func apply(_ notes: [TransferNote], removing: [Int64]) throws {
        let (processed, member) = (columns.processedNote ?? "note_id", columns.threadNote ?? "note_id")
        for id in removing {
            for sql in [
                "DELETE FROM raw_notes WHERE id = ?", "DELETE FROM processed_notes WHERE \(processed) = ?",
                "DELETE FROM thread_notes WHERE \(member) = ?",
            ] { try database.execute(sql: sql, arguments: [id]) }
        }
        let spaces = try FileTransfer.spaces(database)
        for note in notes {
            try store(note.record)
            try storeProcessed(note.record, processed)
            try storeThreads(note.record, member)
            try storeSources(note.record)
            try storeVectors(note, spaces)
        }
    }

    /// The original value if it still means the same.
    private func original(_ cell: ExtraColumns.Cell?, _ value: String?, as read: (ExtraColumns.Cell) -> String?)
        -> DatabaseValue
    {
        if let cell, read(cell).map(NoteRecord.clean) == value { return cell.value }
        return value?.databaseValue ?? .null
    }

    private func store(_ record: NoteRecord) throws {
        let extra = ExtraColumns(record.extra) ?? ExtraColumns()
        var values = record.derived.merging(extra.raw) { $1 }.mapValues(\.value)
        values["title"] = original(extra.raw["title"], record.title) { $0.asText ?? "" }
        values["content"] = original(extra.raw["content"], record.content) { $0.asText ?? "" }
        values["created_at"] = original(extra.raw["created_at"], record.createdAt) { $0.value.asDate ?? "" }
        values["source_type"] = original(extra.raw["source_type"], record.source) { $0.asText }
        if let tags = extra.raw["tags"], StoredList.decode(tags.asText) == record.tags {
            values["tags"] = tags.value
        } else {
            values["tags"] = StoredList.encode(record.tags)?.databaseValue ?? .null
        }
        values["test_run"] = record.isHidden ? extra.raw["test_run"]?.value ?? "hidden".databaseValue : .null
        let names = columns.raw.subtracting(["id"]).sorted()
        let quoted = names.map(\.quotedDatabaseIdentifier)
        let sql = """
            INSERT INTO raw_notes (id, \(quoted.joined(separator: ", ")))
            VALUES (\(databaseQuestionMarks(count: names.count + 1)))
            ON CONFLICT (id) DO UPDATE SET \(quoted.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
        func arguments() -> StatementArguments {
            StatementArguments([record.id.databaseValue] + names.map { values[$0] ?? .null })
        }
        do {
            try database.cachedStatement(sql: sql).execute(arguments: arguments())
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // Some files allow one note per content hash.
            values["content_hash"] = .null
            do {
                try database.cachedStatement(sql: sql).execute(arguments: arguments())
            } catch let error as DatabaseError {
                throw StorageError(
                    .schema, "note \(record.id) does not fit the file's table raw_notes: \(error.message ?? "\(error)")"
                )
            }
        }
    }

    private func storeProcessed(_ record: NoteRecord, _ note: String) throws {
        let extra = ExtraColumns(record.extra) ?? ExtraColumns()
        var values = extra.processed.mapValues(\.value)
        values["note_type"] = original(extra.processed["note_type"], record.noteType) { $0.asText }
        values["actionability"] = original(extra.processed["actionability"], record.actionability) { $0.asText }
        guard values.values.contains(where: { !$0.isNull }) else {
            return try database.execute(sql: "DELETE FROM processed_notes WHERE \(note) = ?", arguments: [record.id])
        }
        let names = columns.processed.subtracting(["id", "note_id", "raw_note_id"]).sorted()
        let quoted = names.map(\.quotedDatabaseIdentifier)
        let arguments = names.map { values[$0] ?? .null } + [record.id.databaseValue]
        try database.cachedStatement(
            sql: "UPDATE processed_notes SET \(quoted.map { "\($0) = ?" }.joined(separator: ", ")) WHERE \(note) = ?"
        ).execute(arguments: StatementArguments(arguments))
        guard database.changesCount == 0 else { return }
        try database.cachedStatement(
            sql: """
                INSERT INTO processed_notes (\(quoted.joined(separator: ", ")), \(note))
                VALUES (\(databaseQuestionMarks(count: names.count + 1)))
                """
        ).execute(arguments: StatementArguments(arguments))
    }

    func store(_ thread: ThreadRecord) throws {
        let extra = ExtraColumns.ofThread(thread.extra)
        var values = extra.mapValues(\.value)
        values["name"] = original(extra["name"], thread.name) { $0.asText ?? "" }
        // A thread that PostgreSQL made has the defaults of the table.
        let names = threads.names.subtracting(["id"]).filter { values[$0] != nil }.sorted()
        let quoted = names.map(\.quotedDatabaseIdentifier)
        try database.cachedStatement(
            sql: """
                INSERT INTO threads (id, \(quoted.joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: names.count + 1)))
                ON CONFLICT (id) DO UPDATE SET \(quoted.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
                """
        ).execute(arguments: StatementArguments([thread.id.databaseValue] + names.map { values[$0] ?? .null }))
    }

    private func storeThreads(_ record: NoteRecord, _ note: String) throws {
        var known = Set(
            try Scalar.integers(
                database, sql: "SELECT thread_id FROM thread_notes WHERE \(note) = ?", arguments: [record.id]))
        for thread in record.threads {
            let name = try Scalar.text(database, sql: "SELECT name FROM threads WHERE id = ?", arguments: [thread.id])
            if name.map(NoteRecord.clean) != thread.name {
                try store(ThreadRecord(id: thread.id, name: thread.name))
            }
            guard known.remove(thread.id) == nil else { continue }
            try database.execute(
                sql: "INSERT INTO thread_notes (thread_id, \(note)) VALUES (?, ?)", arguments: [thread.id, record.id])
        }
        for thread in known {
            try database.execute(
                sql: "DELETE FROM thread_notes WHERE thread_id = ? AND \(note) = ?", arguments: [thread, record.id])
        }
    }

    private func storeSources(_ record: NoteRecord) throws {
        try database.cachedStatement(sql: "DELETE FROM gateway_note_sources WHERE note_id = ?")
            .execute(arguments: [record.id])
        for name in record.externalIDs {
            try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO gateway_note_sources (external_id, note_id) VALUES (?, ?)"
            ).execute(arguments: [name, record.id])
        }
    }

    private func storeVectors(_ note: TransferNote, _ spaces: [StoredSpace]) throws {
        for stored in spaces {
            guard let row = note.vectors.first(where: { $0.space == stored.space }) else {
                try database.cachedStatement(
                    sql: "DELETE FROM gateway_embeddings WHERE space_id = ? AND note_id = ?"
                ).execute(arguments: [stored.id, note.record.id])
                continue
            }
            let embedding = EmbeddingRow(
                noteID: note.record.id, contentHash: row.contentHash, vectors: row.vectors, passages: row.passages)
            try EmbeddingWriter.check(embedding, dimensions: stored.space.dimensions)
            try EmbeddingWriter(database: database, space: stored).store(embedding)
            guard row.contentHash == note.record.contentHash else { continue }
            try database.cachedStatement(
                sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ? AND note_id = ?"
            ).execute(arguments: [stored.id, note.record.id])
        }
    }
}
