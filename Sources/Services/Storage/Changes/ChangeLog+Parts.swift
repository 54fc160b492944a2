import GRDB

extension ChangeLog {
    /// Whether there are at least so many notes. Time grows with the limit, not with the notes.
    package func hasNotes(atLeast limit: Int) async throws -> Bool {
        try await database.read { database in
            try Scalar.count(
                database, sql: "SELECT count(*) FROM (SELECT 1 FROM raw_notes LIMIT ?)", arguments: [limit]) ?? 0
                >= limit
        }
    }

    /// Reads the next notes after an id from one snapshot, in batches.
    ///
    /// - Parameters:
    ///   - id: Notes up to this id are left out; nil for none.
    ///   - limit: The number of rows to read, hidden ones included.
    ///   - space: The space whose vectors to read; no vectors when nil.
    ///   - body: Called for each batch on SQLite's queue, the notes in the order of their ids.
    /// - Returns: The last id that was read; nil when none is left.
    package func read(
        after id: Int64?, limit: Int, in space: StoredSpace?, batchSize: Int,
        _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> Int64? {
        let (first, overflow) = (id ?? .min).addingReportingOverflow(id == nil ? 0 : 1)
        guard !overflow else { return nil }
        return try await database.read { database, layout in
            let last = try Scalar.integer(
                database,
                sql: """
                    SELECT max(id) FROM (
                    SELECT id FROM raw_notes WHERE id >= ? AND typeof(id) = 'integer' ORDER BY id LIMIT ?)
                    """, arguments: [first, limit])
            guard let last else { return nil }
            var batch: [IndexedNote] = []
            var bytes = 0
            try NoteFeed(columns: layout.columns, space: space).forEach(database, .range(first...last)) { note in
                batch.append(.present(note))
                bytes += note.bytes
                guard batch.count >= batchSize || bytes >= ValueLimit.batch else { return }
                try body(batch)
                batch.removeAll(keepingCapacity: true)
                bytes = 0
            }
            if !batch.isEmpty { try body(batch) }
            return last
        }
    }
}
