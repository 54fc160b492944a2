import GRDB

/// The log of changed notes for index files and followers. Triggers fill it, whichever process writes.
package struct ChangeLog: Sendable {
    let database: GatewayDatabase

    /// Returns the end of the change log and the active space.
    package func changeState() async throws -> DatabaseChangeState {
        while true {
            let (version, changeState) = try await database.read { database in
                (try FileLayout.version(database), try Self.changeState(database))
            }
            // A schema change may have dropped our triggers; the log then lacks changes.
            guard try await database.keepTriggers(schemaVersion: version) else { return changeState }
        }
    }

    /// Reads every note in batches from one snapshot.
    ///
    /// - Parameters:
    ///   - space: The space whose vectors to read; no vectors when nil.
    ///   - batchSize: The maximum number of notes per batch. Batches are smaller for long notes and notes with many
    ///     passages.
    ///   - body: Called for each batch on SQLite's queue, the notes in the order of their ids.
    /// - Returns: The end of the change log in that snapshot.
    package func readAll(
        in space: StoredSpace?, batchSize: Int, _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> ChangeCursor {
        try await database.read { database, layout in
            let feed = NoteFeed(columns: layout.columns, space: space)
            let cursor = try Self.end(database)
            var batch: [IndexedNote] = []
            var bytes = 0
            try feed.forEach(database, .all) { note in
                batch.append(.present(note))
                bytes += note.bytes
                if batch.count >= batchSize || bytes >= ValueLimit.batch {
                    try body(batch)
                    batch.removeAll(keepingCapacity: true)
                    bytes = 0
                }
            }
            if !batch.isEmpty { try body(batch) }
            return cursor
        }
    }

    /// Returns the changes since a cursor, by this process or another, at most `limit`. Call again with the returned
    /// cursor until it equals the ``changeState()``'s.
    package func since(
        _ cursor: ChangeCursor, in space: StoredSpace?, limit: Int
    ) async throws -> ChangeBatch {
        try await database.read { database, layout in
            let feed = NoteFeed(columns: layout.columns, space: space)
            let first = try Scalar.integer(database, sql: "SELECT min(seq) FROM gateway_changes") ?? 0
            let end = try Self.end(database)
            // The log was truncated, or is shorter than the cursor: the file was replaced.
            guard first <= cursor.sequence + 1, end >= cursor else {
                let beginning = ChangeCursor(sequence: end >= cursor ? first - 1 : min(first - 1, end.sequence))
                return ChangeBatch(notes: [], cursor: beginning, needsReload: true)
            }
            let rows = try Row.fetchAll(
                database, sql: "SELECT seq, note_id FROM gateway_changes WHERE seq > ? ORDER BY seq LIMIT ?",
                arguments: [cursor.sequence, limit])
            var batch = try Self.load(rows[...], after: cursor, feed, database)
            batch.hasMore = batch.cursor < end
            return batch
        }
    }

    /// Returns the notes from an id on, the newest first up to `limit` notes or about 32 MB, from one snapshot.
    ///
    /// - Parameters:
    ///   - known: Further ids to include.
    ///   - space: The space whose vectors to read; no vectors when nil.
    package func newestNotes(
        from id: Int64, and known: [Int64], in space: StoredSpace?, limit: Int
    ) async throws -> [IndexedNote] {
        try await database.read { database, layout in
            let feed = NoteFeed(columns: layout.columns, space: space)
            let found = try Scalar.integers(
                database,
                sql: "SELECT id FROM raw_notes WHERE id >= ? AND typeof(id) = 'integer' ORDER BY id DESC LIMIT ?",
                arguments: [id, limit])
            var rest = Set(found).union(known).sorted()[...]
            var (notes, bytes) = ([IndexedNote](), 0)
            while !rest.isEmpty, bytes < ValueLimit.batch {
                let part = rest.suffix(128)
                rest = rest.dropLast(part.count)
                var missing = Set(part)
                try feed.forEach(database, .ids(part)) { note in
                    missing.remove(note.id)
                    bytes += note.bytes
                    notes.append(.present(note))
                }
                notes += missing.map { .removed(id: $0) }
            }
            return notes
        }
    }

    /// Loads the changed notes up to ``ValueLimit/batch`` bytes, fewer at a time while notes are large.
    private static func load(
        _ rows: ArraySlice<Row>, after cursor: ChangeCursor, _ feed: NoteFeed, _ database: Database
    ) throws -> ChangeBatch {
        var batch = ChangeBatch(notes: [], cursor: cursor, needsReload: false)
        var done: Set<Int64> = []
        var (rest, bytes, size) = (rows, 0, 32)
        while !rest.isEmpty, bytes < ValueLimit.batch {
            let part = rest.prefix(size)
            rest = rest.dropFirst(size)
            var missing = Set(part.compactMap { $0.integer("note_id") }).subtracting(done)
            done.formUnion(missing)
            let before = bytes
            let ids = missing.sorted()
            try feed.forEach(database, .ids(ids[...])) { note in
                missing.remove(note.id)
                bytes += note.bytes
                batch.notes.append(.present(note))
            }
            batch.notes += missing.sorted().map { .removed(id: $0) }
            if let last = part.last?.integer("seq") { batch.cursor = ChangeCursor(sequence: last) }
            size = bytes - before > 4 << 20 ? max(1, size / 4) : min(500, size * 4)
        }
        return batch
    }

    private static func end(_ database: Database) throws -> ChangeCursor {
        let sequence = try Scalar.integer(database, sql: "SELECT \(lastSequence)")
        return ChangeCursor(sequence: sequence ?? 0)
    }

    /// SQL for the last number of the log; NULL for an empty log.
    private static let lastSequence = "(SELECT seq FROM sqlite_sequence WHERE name = 'gateway_changes')"

    private static func changeState(_ database: Database) throws -> DatabaseChangeState {
        // A row without a space has NULLs in its place.
        let row = try database.compiledRow(
            "SELECT \(lastSequence) AS seq, s.* FROM (SELECT 1) LEFT JOIN (\(StoredSpace.activeSQL)) s")
        return DatabaseChangeState(
            cursor: ChangeCursor(sequence: row?.integer("seq") ?? 0), activeSpace: row.flatMap { StoredSpace($0) })
    }
}
