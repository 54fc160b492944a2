import Foundation
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

/// A note as the retrieval index needs it, or the news that it is gone.
public enum IndexedNote: Sendable {
    /// A note that is there, with its vector in the space that was asked for.
    case present(
        id: Int64, title: String, content: String, noteType: String?, actionability: String?, createdAt: Int64,
        vector: [Float]?)
    /// A note that is not there any more, or is not to be shown.
    case removed(id: Int64)
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
    ///   - body: Called for each batch on SQLite's queue.
    /// - Returns: Where the change log stood in that snapshot.
    public func readAll(
        in space: StoredSpace?, batchSize: Int = 1000, _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> ChangeCursor {
        let columns = columns
        return try await read { database in
            let cursor = try Self.end(database)
            let rows = try Row.fetchCursor(
                database, sql: Self.feed(columns, where: "1") + " ORDER BY n.id", arguments: [space?.id])
            var batch: [IndexedNote] = []
            while let row = try rows.next() {
                batch.append(Self.note(row, dimensions: space?.space.dimensions ?? 0))
                if batch.count == batchSize {
                    try body(batch)
                    batch.removeAll(keepingCapacity: true)
                }
            }
            if !batch.isEmpty { try body(batch) }
            return cursor
        }
    }

    /// What changed since a cursor, by this process or another. At most `limit` changes; ask again from the returned
    /// cursor until it is the ``pulse()``'s.
    public func changes(
        since cursor: ChangeCursor, in space: StoredSpace?, limit: Int = 5000
    ) async throws -> ChangeBatch {
        let columns = columns
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
                let some = Array(ids[start..<min(start + 500, ids.count)])
                let arguments = StatementArguments([space?.id]) + StatementArguments(some)
                let found = try Row.fetchCursor(
                    database,
                    sql: Self.feed(columns, where: "n.id IN (\(databaseQuestionMarks(count: some.count)))"),
                    arguments: arguments)
                while let row = try found.next() {
                    missing.remove(row["id"])
                    notes.append(Self.note(row, dimensions: space?.space.dimensions ?? 0))
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

    private static func feed(_ columns: NoteColumns, where condition: String) -> String {
        """
        SELECT n.id AS id, n.title AS title, n.content AS content, n.created_at AS created_at,
            \(columns.processed("note_type")) AS note_type, \(columns.processed("actionability")) AS actionability,
            e.vector AS vector
        FROM raw_notes n LEFT JOIN processed_notes p ON p.note_id = n.id
        LEFT JOIN gateway_embeddings e ON e.space_id = ? AND e.note_id = n.id
        WHERE \(columns.isShown) AND \(condition)
        """
    }

    private static func note(_ row: Row, dimensions: Int) -> IndexedNote {
        let vector: Data? = row["vector"]
        return .present(
            id: row["id"], title: row["title"] ?? "", content: row["content"] ?? "", noteType: row["note_type"],
            actionability: row["actionability"],
            createdAt: (row["created_at"] as String?).flatMap(Timestamp.unixSeconds) ?? 0,
            vector: vector.flatMap { VectorBlob.decode($0, dimensions: dimensions) })
    }
}
