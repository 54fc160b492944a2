import Foundation
import GRDB
import GatewayAPI
import Text

extension NoteWriter: IngestLookup {
    /// Stores a draft that has a name in its source.
    func store(_ draft: NoteDraft, named name: String, into outcome: inout InsertOutcome) throws {
        var taken = IngestStep.Taken()
        let step = try IngestStep(draft, named: name, self, taken: &taken)
        var id = step.note
        switch step.action {
        case .keep: outcome.unchanged += 1
        case .update(let note):
            if try update(note, with: draft) { outcome.updated += 1 } else { outcome.unchanged += 1 }
        case .insert: id = try insertOrFind(draft, into: &outcome)
        }
        if var remark = step.remark {
            if step.note == nil { remark.other = id }
            outcome.remarks.append(remark)
        }
        guard step.isRecorded, let id else { return }
        for former in step.dropped {
            try execute("DELETE FROM gateway_note_sources WHERE external_id = ?", [former])
            try execute("DELETE FROM gateway_note_ingests WHERE external_id = ?", [former])
        }
        if try note(named: name) != id {
            try execute("INSERT OR REPLACE INTO gateway_note_sources (external_id, note_id) VALUES (?, ?)", [name, id])
        }
        let noteHash = step.isEdited ? [] : try note(id)?.hash ?? []
        try execute(
            """
            INSERT OR REPLACE INTO gateway_note_ingests (external_id, note_id, source_hash, note_hash, text_hash)
            VALUES (?, ?, ?, ?, ?)
            """,
            [name, id, Data(draft.sourceHash), Data(noteHash), Data(draft.textHash ?? [])])
    }

    /// Stores a new note. Some files allow one note per content hash: the existing note stands for the new one then.
    func insertOrFind(_ draft: NoteDraft, into outcome: inout InsertOutcome) throws -> Int64 {
        do {
            let id = try insert(draft)
            outcome.inserted += 1
            return id
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            guard let existing = try duplicate(of: draft) else { throw error }
            outcome.unchanged += 1
            return existing
        }
    }

    package func ingest(_ name: String) throws -> StoredIngest? {
        try rows("external_id = ?", [name]).first
    }

    package func ingests(ofText hash: [UInt8]) throws -> [StoredIngest] {
        try rows("text_hash = ? ORDER BY external_id LIMIT 100", [Data(hash)])
    }

    package func twin(of draft: NoteDraft) throws -> Int64? { try duplicate(of: draft) }

    package func note(named name: String) throws -> Int64? {
        let finding = try statements[.sourced]
        try finding.bind(name, at: 1)
        return try finding.integer()
    }

    package func isShared(_ id: Int64, besides names: [String]) throws -> Bool {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: "SELECT external_id FROM gateway_note_sources WHERE note_id = ? LIMIT 10"),
            arguments: [id])
        return rows.contains { row in
            row.text(0).map { alias in !names.contains { $0.hasSameBytes(as: alias) } } ?? false
        }
    }

    package func note(_ id: Int64) throws -> IngestedText? {
        let (tags, imported) = (columns.raw.contains("tags"), columns.raw.contains("imported_at"))
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT title, content, created_at, \(tags ? "tags" : "NULL"), \(imported ? "imported_at" : "NULL")
                    FROM raw_notes WHERE id = ?
                    """), arguments: [id])
        return row.map { row in
            IngestedText(
                id: id, title: row.text(0) ?? "", content: row.text(1) ?? "", tags: StoredList.decode(row.text(3)),
                created: row.text(2).flatMap(Timestamp.unixSeconds),
                imported: row.text(4).flatMap(Timestamp.unixSeconds))
        }
    }

    private func rows(_ condition: String, _ arguments: StatementArguments) throws -> [StoredIngest] {
        let sql = "SELECT \(StoredIngest.columns) FROM gateway_note_ingests WHERE \(condition)"
        return try Row.fetchAll(database.cachedStatement(sql: sql), arguments: arguments).compactMap(StoredIngest.init)
    }

    private func execute(_ sql: String, _ arguments: StatementArguments) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}

extension NoteStore {
    /// The names that begin with a text, of what was ingested and whose notes exist, in their order.
    package func ingested(beginningWith prefix: String) async throws -> [(name: String, note: Int64)] {
        try await database.read { database in
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT i.external_id, i.note_id FROM gateway_note_ingests i JOIN raw_notes n ON n.id = i.note_id
                    WHERE i.external_id >= ? ORDER BY i.external_id
                    """, arguments: [prefix])
            var found: [(name: String, note: Int64)] = []
            while let row = try rows.next(), let name = row.text(0), name.utf8.starts(with: prefix.utf8) {
                if let note = row.integer(1) { found.append((name, note)) }
            }
            return found
        }
    }
}

extension NoteStore {
    /// What was ingested under names, and whose notes exist.
    package func ingested(_ names: [String]) async throws -> [IngestedName] {
        try await database.read { database in
            let statement = try database.makeStatement(
                sql: """
                    SELECT \(StoredIngest.columns) FROM gateway_note_ingests
                    WHERE external_id = ? AND note_id IN (SELECT id FROM raw_notes)
                    """)
            return try names.compactMap { name in
                try Row.fetchOne(statement, arguments: [name]).flatMap(StoredIngest.init).map {
                    IngestedName(name: $0.externalID, note: $0.note, textHash: $0.textHash)
                }
            }
        }
    }

    /// Deletes the notes of sources that are gone, in one transaction, by the rule of ``IngestRemoval``.
    package func removeIngested(_ names: [String], forgets: Bool) async throws -> [IngestRemoval] {
        try await database.write { database, layout in
            let versions = NoteVersions(database, layout)
            let writer = NoteWriter(database: database, columns: layout.columns, versions: versions)
            return try names.map { name in
                let outcome = try Self.removeIngested(name, writer, versions, layout)
                if outcome == .removed, forgets {
                    try database.execute(
                        sql: "DELETE FROM gateway_note_ingests WHERE external_id = ?", arguments: [name])
                }
                return IngestRemoval(name: name, outcome: outcome)
            }
        }
    }

    private static func removeIngested(
        _ name: String, _ writer: NoteWriter, _ versions: NoteVersions, _ layout: FileLayout
    ) throws -> IngestRemoval.Outcome {
        guard let row = try writer.ingest(name) else { return .missing }
        let isShared = try writer.isShared(row.note, besides: [name])
        let outcome = IngestRemoval.outcome(of: row, try writer.note(row.note), isShared: isShared)
        switch outcome {
        case .shared:
            for table in ["gateway_note_sources", "gateway_note_ingests"] {
                try writer.database.execute(sql: "DELETE FROM \(table) WHERE external_id = ?", arguments: [name])
            }
        case .removed:
            if let record = try versions.record(row.note) { try versions.keep(record, .deleted) }
            try NoteReferences.delete(of: row.note, writer.database, layout)
            try writer.database.execute(sql: "DELETE FROM raw_notes WHERE id = ?", arguments: [row.note])
        case .edited, .missing: break
        }
        return outcome
    }
}

extension StoredIngest {
    fileprivate static let columns = "external_id, note_id, source_hash, note_hash, text_hash"

    fileprivate init?(_ row: Row) {
        guard let name = row.text(0), let note = row.integer(1) else { return nil }
        self.init(
            externalID: name, note: note, sourceHash: row.bytes(2).map(Array.init) ?? [],
            noteHash: row.bytes(3).map(Array.init) ?? [], textHash: row.bytes(4).map(Array.init) ?? [])
    }
}

extension FileTransfer {
    package func ingests(after name: String) async throws -> [StoredIngest] {
        try await database.read { database in
            let sql = """
                SELECT \(StoredIngest.columns) FROM gateway_note_ingests WHERE external_id > ? ORDER BY external_id LIMIT ?
                """
            return try Row.fetchAll(database, sql: sql, arguments: [name, mostIngests]).compactMap(
                StoredIngest.init)
        }
    }

    package func apply(_ ingests: [StoredIngest], after name: String, _ state: TransferState) async throws {
        try await database.write { database in
            try Self.check(state, database)
            // A blob is greater than every text.
            let last = ingests.last?.externalID.databaseValue ?? Data().databaseValue
            try database.execute(
                sql: "DELETE FROM gateway_note_ingests WHERE external_id > ? AND external_id <= ?",
                arguments: [name, last])
            let writing = try database.cachedStatement(
                sql: "INSERT OR REPLACE INTO gateway_note_ingests (\(StoredIngest.columns)) VALUES (?, ?, ?, ?, ?)")
            for ingest in ingests {
                try writing.execute(arguments: [
                    ingest.externalID, ingest.note, Data(ingest.sourceHash), Data(ingest.noteHash),
                    Data(ingest.textHash),
                ])
            }
        }
    }
}
