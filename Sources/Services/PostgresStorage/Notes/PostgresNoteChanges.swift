package import Storage

/// Which notes change, by this gateway or another one on the database.
///
/// Entries of transactions that may still be running are not read, so none appears later before a position.
package struct PostgresNoteChanges: NoteChanges {
    /// The most entries of the log in one look.
    private static let limit: Int64 = 5000

    let store: PostgresStore

    /// A look is a statement of the server.
    package var interval: Duration { .milliseconds(250) }

    package func end() async throws -> NotePosition {
        let rows = try await store.rows("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
        return NotePosition(version: rows.text(0, 0).flatMap { Int64($0) } ?? 0, entry: 0)
    }

    package func mark() async throws -> Int64 { try await end().version }

    package func ids(since start: Int64, until end: Int64) async throws -> Set<Int64>? {
        let rows = try await store.rows("SELECT value FROM meta WHERE key = 'changes_cut'")
        guard start <= end, start > rows.text(0, 0).flatMap({ Int64($0) }) ?? .min else { return nil }
        var (found, position) = (Set<Int64>(), NotePosition(version: start, entry: 0))
        while position.version < end {
            try Task.checkCancellation()
            let before = position
            found.formUnion(try await ids(since: &position))
            guard position != before else { break }
        }
        return found
    }

    package func ids(since position: inout NotePosition) async throws -> Set<Int64> {
        let rows = try await store.rows(
            """
            SELECT s.first::text, c.note_id, c.transaction::text, c.seq
            FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS first) s LEFT JOIN LATERAL (
                SELECT note_id, transaction, seq FROM changes
                WHERE (transaction, seq) > ($1::text::xid8, $2) AND transaction < s.first
                ORDER BY transaction, seq LIMIT $3
            ) c ON true ORDER BY c.transaction, c.seq
            """, [.text(String(position.version)), .integer(position.entry), .integer(Self.limit)])
        let last = rows.count - 1
        if rows.count == Self.limit, let transaction = rows.text(last, 2).flatMap({ Int64($0) }) {
            position = NotePosition(version: transaction, entry: rows.integer(last, 3) ?? 0)
        } else if let first = rows.text(0, 0).flatMap({ Int64($0) }) {
            position = NotePosition(version: first, entry: 0)
        }
        return Set(rows.indices.compactMap { rows.integer($0, 1) })
    }
}
