import Database

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
extension BriefingRoom {
    /// Counts the notes of active threads in two stretches of time. Threads without a note in the later one are left out.
    ///
    /// - Parameters:
    ///   - earlier: The first second of the earlier stretch.
    ///   - later: The first second of the later stretch, in seconds since 1970.
    ///   - end: The last second of the later stretch.
    package func activity(from earlier: Int64, since later: Int64, until end: Int64) async throws -> [ThreadActivity] {
        try await store.snapshot { session in
            let tables = try session.noteTables()
            return try session.rows(
                """
                SELECT id, recent, before FROM (
                    SELECT t.id AS id, count(DISTINCT CASE WHEN n.time >= $2 THEN n.id END) AS recent,
                        count(DISTINCT CASE WHEN n.time < $2 THEN n.id END) AS before
                    FROM \(tables.notes) n JOIN \(tables.members) m ON m.note_id = n.id
                    JOIN \(tables.threads) t ON t.id = m.thread_id
                    WHERE n.time BETWEEN $1 AND $3 AND t.is_active = 1 GROUP BY t.id) AS a
                WHERE recent > 0 ORDER BY recent * 4 - before DESC, id LIMIT 100
                """, [.integer(earlier), .integer(later), .integer(end)]
            ).compactMap { row in
                row.integer(0).map { ThreadActivity(thread: $0, recent: row.count(1), before: row.count(2)) }
            }
        }
    }

    /// Returns active threads that were created in a stretch of time, latest first.
    package func newThreads(since start: Int64, until end: Int64, limit: Int) async throws -> [Int64] {
        try await ids([.integer(start), .integer(end), .count(limit)]) { tables in
            """
            SELECT t.id FROM \(tables.threads) t WHERE t.is_active = 1 AND t.time BETWEEN $1 AND $2
            ORDER BY t.time DESC, t.id DESC LIMIT $3
            """
        }
    }

    /// Returns the newest notes of a thread up to a time.
    package func notes(ofThread thread: Int64, until end: Int64, limit: Int) async throws -> [Int64] {
        try await ids([.integer(thread), .integer(end), .count(limit)]) { tables in
            """
            SELECT n.id FROM \(tables.notes) n WHERE n.time <= $2
            AND n.id IN (SELECT m.note_id FROM \(tables.members) m WHERE m.thread_id = $1)
            ORDER BY n.time DESC, n.id DESC LIMIT $3
            """
        }
    }

    /// Returns notes that were written in one of several stretches of time, latest first.
    ///
    /// - Parameter stretches: Half-open ranges in seconds since 1970, at most 100.
    package func notes(in stretches: [Range<Int64>], limit: Int) async throws -> [Int64] {
        let stretches = Array(stretches.prefix(100))
        guard !stretches.isEmpty else { return [] }
        let condition = stretches.indices.map { "n.time >= $\(2 * $0 + 2) AND n.time < $\(2 * $0 + 3)" }
            .joined(separator: " OR ")
        let bounds = stretches.flatMap { [SQLValue.integer($0.lowerBound), .integer($0.upperBound)] }
        return try await ids([.count(limit)] + bounds) { tables in
            "SELECT n.id FROM \(tables.notes) n WHERE \(condition) ORDER BY n.time DESC, n.id DESC LIMIT $1"
        }
    }

    private func ids(
        _ values: [SQLValue], _ statement: @escaping @Sendable (any NoteTables) -> String
    ) async throws -> [Int64] {
        try await store.snapshot { session in
            try session.rows(statement(try session.noteTables()), values).compactMap { $0.integer(0) }
        }
    }
}
