import GRDB

extension ChangeLog {
    /// Returns the ids of the notes that changed since a cursor, without loading them, and the new cursor.
    ///
    /// - Returns: At most `limit` entries of the log. A log that no longer reaches back to the cursor counts from its start.
    package func ids(
        since cursor: ChangeCursor, limit: Int = 5000
    ) async throws -> (ids: Set<Int64>, cursor: ChangeCursor) {
        try await database.read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT seq, note_id FROM gateway_changes WHERE seq > ? ORDER BY seq LIMIT ?",
                arguments: [cursor.sequence, limit])
            let last = rows.last?.integer("seq").map { ChangeCursor(sequence: $0) }
            return (Set(rows.compactMap { $0.integer("note_id") }), last ?? cursor)
        }
    }
}
