import GRDB

/// How many notes a thread got in two stretches of time.
package struct ThreadActivity: Sendable, Hashable {
    /// The thread's id.
    package var thread: Int64
    /// Notes of the later stretch.
    package var recent: Int
    /// Notes of the earlier stretch.
    package var before: Int
}

/// What briefings are about. Every list is bounded and in an order that depends on the rows only.
extension BriefingStore {
    /// Counts the notes of active threads in two stretches of time. Threads without a note in the later one are left out.
    ///
    /// - Parameters:
    ///   - earlier: The first second of the earlier stretch.
    ///   - later: The first second of the later stretch, in seconds since 1970.
    ///   - end: The last second of the later stretch.
    package func activity(from earlier: Int64, since later: Int64, until end: Int64) async throws -> [ThreadActivity] {
        try await database.read { database, layout in
            let (columns, threads) = (layout.columns, layout.schema.threads)
            guard columns.hasThreads, let note = columns.threadNote, threads.names.contains("id") else { return [] }
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT t.id AS thread, count(DISTINCT CASE WHEN n.time >= ?2 THEN n.id END) AS recent,
                        count(DISTINCT CASE WHEN n.time < ?2 THEN n.id END) AS before
                    FROM (SELECT n.id AS id, \(SQLTime.seconds(columns.raw("created_at"))) AS time FROM raw_notes n
                        WHERE \(columns.isShown)) n
                    JOIN thread_notes tn ON tn.\(note) = n.id JOIN threads t ON t.id = tn.thread_id
                    WHERE n.time BETWEEN ?1 AND ?3 AND typeof(t.id) = 'integer' AND \(Self.isActive(threads))
                    GROUP BY t.id HAVING recent > 0 ORDER BY recent * 4 - before DESC, t.id LIMIT 100
                    """, arguments: [earlier, later, end])
            return rows.compactMap { row in
                row.integer("thread").map {
                    ThreadActivity(thread: $0, recent: row.count("recent"), before: row.count("before"))
                }
            }
        }
    }

    /// Returns active threads that were created in a stretch of time, latest first.
    package func newThreads(since start: Int64, until end: Int64, limit: Int) async throws -> [Int64] {
        try await database.read { database, layout in
            let threads = layout.schema.threads
            guard threads.names.isSuperset(of: ["id", "created_at"]) else { return [] }
            return try Scalar.integers(
                database,
                sql: """
                    SELECT t.id FROM threads t WHERE typeof(t.id) = 'integer' AND \(Self.isActive(threads))
                    AND \(SQLTime.seconds("t.created_at")) BETWEEN ? AND ?
                    ORDER BY \(SQLTime.seconds("t.created_at")) DESC, t.id DESC LIMIT ?
                    """, arguments: [start, end, limit])
        }
    }

    /// Returns the newest notes of a thread up to a time.
    package func notes(ofThread thread: Int64, until end: Int64, limit: Int) async throws -> [Int64] {
        try await database.read { database, layout in
            let columns = layout.columns
            guard columns.hasThreads, let note = columns.threadNote else { return [] }
            return try Scalar.integers(
                database,
                sql: """
                    SELECT id FROM (SELECT n.id AS id, \(SQLTime.seconds(columns.raw("created_at"))) AS time
                        FROM raw_notes n WHERE \(columns.isShown)
                        AND n.id IN (SELECT \(note) FROM thread_notes WHERE thread_id = ?))
                    WHERE time <= ? ORDER BY time DESC, id DESC LIMIT ?
                    """, arguments: [thread, end, limit])
        }
    }

    /// Returns notes that were written in one of several stretches of time, latest first.
    ///
    /// - Parameter stretches: Half-open ranges in seconds since 1970, at most 100.
    package func notes(in stretches: [Range<Int64>], limit: Int) async throws -> [Int64] {
        let stretches = Array(stretches.prefix(100))
        guard !stretches.isEmpty else { return [] }
        return try await database.read { database, layout in
            let columns = layout.columns
            let condition = stretches.map { _ in "time >= ? AND time < ?" }.joined(separator: " OR ")
            return try Scalar.integers(
                database,
                sql: """
                    SELECT id FROM (SELECT n.id AS id, \(SQLTime.seconds(columns.raw("created_at"))) AS time
                        FROM raw_notes n WHERE \(columns.isShown))
                    WHERE \(condition) ORDER BY time DESC, id DESC LIMIT ?
                    """,
                arguments: StatementArguments(stretches.flatMap { [$0.lowerBound, $0.upperBound] }) + [limit])
        }
    }

    /// Returns pairs of similar notes, most similar first, whose newer note was written in one stretch of time and whose
    /// older note in another.
    ///
    /// - Parameters:
    ///   - newer: The stretch of the newer note, in seconds since 1970.
    ///   - older: The stretch of the older note.
    package func pairs(
        minSimilarity: Double, newer: ClosedRange<Int64>, older: ClosedRange<Int64>, limit: Int
    ) async throws -> [NotePair] {
        try await database.read { database, layout in
            let (columns, schema) = (layout.columns, layout.schema)
            guard let pairs = AssociationStore.pairs(schema) else { return [] }
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT a, b, near FROM (SELECT a, b, near,
                        \(SQLTime.seconds(columns.raw("created_at", of: "na"))) AS ta,
                        \(SQLTime.seconds(columns.raw("created_at", of: "nb"))) AS tb FROM (
                            \(pairs))
                        JOIN raw_notes na ON na.id = a JOIN raw_notes nb ON nb.id = b
                        WHERE \(columns.isShown("na")) AND \(columns.isShown("nb")))
                    WHERE max(ta, tb) BETWEEN ? AND ? AND min(ta, tb) BETWEEN ? AND ?
                    ORDER BY near DESC, a DESC, b DESC LIMIT ?
                    """,
                arguments: [
                    minSimilarity, newer.lowerBound, newer.upperBound, older.lowerBound, older.upperBound, limit,
                ])
            return rows.compactMap { row in
                guard let a = row.integer("a"), let b = row.integer("b"), let near = row.real("near") else {
                    return nil
                }
                return NotePair(first: a, second: b, similarity: near)
            }
        }
    }

    private static func isActive(_ threads: TableColumns) -> String {
        threads.names.contains("status") ? "t.status = 'active'" : "1"
    }
}
