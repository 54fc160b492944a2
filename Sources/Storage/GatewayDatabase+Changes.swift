import GRDB

/// A place in the change log: all changes up to it are known.
public struct ChangeCursor: Sendable, Hashable, Comparable {
    var sequence: Int64

    /// Earlier in the log.
    public static func < (left: ChangeCursor, right: ChangeCursor) -> Bool { left.sequence < right.sequence }
}

/// What a reader that follows the database has to look at first: one small query.
public struct DatabasePulse: Sendable, Hashable {
    /// The end of the change log.
    public var cursor: ChangeCursor
    /// The space that answers queries.
    public var activeSpace: StoredSpace?
}

/// What changed since a cursor.
public struct ChangeBatch: Sendable {
    /// Each changed note once.
    public var notes: [IndexedNote]
    /// Where the log stood when these were read.
    public var cursor: ChangeCursor
    /// The log no longer reaches back to the cursor: everything has to be read anew.
    public var needsReload: Bool
}

extension GatewayDatabase {
    /// Where the change log ends and which space is active.
    public func pulse() async throws -> DatabasePulse {
        try await read { DatabasePulse(cursor: try Self.end($0), activeSpace: try Self.activeSpace($0)) }
    }

    /// Reads every note in batches, all from one snapshot.
    ///
    /// - Parameters:
    ///   - space: Whose vectors to read; none when nil.
    ///   - batchSize: Notes in a batch at most. Notes with many passages come in smaller batches.
    ///   - body: Called for each batch on SQLite's queue, the notes in the order of their ids.
    /// - Returns: Where the change log stood in that snapshot.
    public func readAll(
        in space: StoredSpace?, batchSize: Int = 1000, _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> ChangeCursor {
        let feed = NoteFeed(columns: columns, space: space)
        return try await read { database in
            let cursor = try Self.end(database)
            var batch: [IndexedNote] = []
            var floats = 0
            try feed.forEach(database, ids: nil) { note in
                batch.append(.present(note))
                floats += note.vectors.count
                if batch.count >= batchSize || floats >= Self.maxBatchFloats {
                    try body(batch)
                    batch.removeAll(keepingCapacity: true)
                    floats = 0
                }
            }
            if !batch.isEmpty { try body(batch) }
            return cursor
        }
    }

    /// A batch with so many numbers, 32 MiB, is handed over early.
    private static let maxBatchFloats = 8 << 20

    /// What changed since a cursor, by this process or another. At most `limit` changes; ask again from the returned
    /// cursor until it is the ``pulse()``'s.
    public func changes(
        since cursor: ChangeCursor, in space: StoredSpace?, limit: Int = 5000
    ) async throws -> ChangeBatch {
        let feed = NoteFeed(columns: columns, space: space)
        return try await read { database in
            let first = try Int64.fetchOne(database, sql: "SELECT min(seq) FROM gateway_changes") ?? 0
            let end = try Self.end(database)
            // Cut off at the front, or begun anew: the file was replaced.
            guard first <= cursor.sequence + 1, end >= cursor else {
                return ChangeBatch(notes: [], cursor: end, needsReload: true)
            }
            let rows = try Row.fetchAll(
                database, sql: "SELECT seq, note_id FROM gateway_changes WHERE seq > ? ORDER BY seq LIMIT ?",
                arguments: [cursor.sequence, limit])
            guard let last: Int64 = rows.last?["seq"] else {
                return ChangeBatch(notes: [], cursor: cursor, needsReload: false)
            }
            var missing = Set(rows.map { $0["note_id"] as Int64 })
            var notes: [IndexedNote] = []
            let ids = missing.sorted()
            for start in stride(from: 0, to: ids.count, by: 500) {
                try feed.forEach(database, ids: ids[start..<min(start + 500, ids.count)]) { note in
                    missing.remove(note.id)
                    notes.append(.present(note))
                }
            }
            notes += missing.sorted().map { .removed(id: $0) }
            return ChangeBatch(notes: notes, cursor: ChangeCursor(sequence: last), needsReload: false)
        }
    }

    private static func end(_ database: Database) throws -> ChangeCursor {
        let sequence = try Int64.fetchOne(
            database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'gateway_changes'")
        return ChangeCursor(sequence: sequence ?? 0)
    }
}
