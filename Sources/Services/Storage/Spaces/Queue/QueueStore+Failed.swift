import GRDB
package import GatewayAPI

/// Notes that failed and are not retried, one by one.
extension QueueStore {
    /// Returns failed notes by space and id.
    ///
    /// - Parameter space: The space; all spaces when nil.
    package func failed(in space: SpaceID?, after cursor: PageCursor?, limit: Int) async throws -> Page<FailedEmbedding>
    {
        try cursor?.check(numbers: 2)
        let start = cursor?.numbers ?? []
        return try await database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT space_id, note_id, reason, attempts FROM gateway_embedding_queue
                    WHERE due IS NULL AND (?1 IS NULL OR space_id = ?1)
                        AND (?2 IS NULL OR (space_id, note_id) > (?2, ?3))
                    ORDER BY space_id, note_id LIMIT ?4
                    """, arguments: [space, start.first, start.last, limit + 1])
            let found = rows.compactMap { row -> (item: FailedEmbedding, cursor: PageCursor)? in
                guard let space = row.integer(0), let note = row.integer(1) else { return nil }
                let letter = DeadLetter(noteID: note, reason: row.text(2) ?? "", attempts: row.count(3))
                return (FailedEmbedding(space: space, letter: letter), PageCursor(space, note))
            }
            return Page(found, limit: limit) { $0.letter.reason.utf8.count }
        }
    }

    /// Requeues a failed note and resets its attempts.
    ///
    /// - Returns: false when the note is not a failed one of the space.
    package func retryFailed(_ note: Int64, in space: SpaceID) async throws -> Bool {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: """
                    UPDATE gateway_embedding_queue SET state = 'waiting', attempts = 0, due = 0
                    WHERE space_id = ? AND note_id = ? AND state = 'failed'
                    """, arguments: [space, note])
            return database.changesCount > 0
        }
    }

    /// Dequeues a failed note. It stays without a vector until its text changes, or all notes are compared again.
    ///
    /// - Returns: false when the note is not a failed one of the space.
    package func discardFailed(_ note: Int64, in space: SpaceID) async throws -> Bool {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ? AND note_id = ? AND state = 'failed'",
                arguments: [space, note])
            return database.changesCount > 0
        }
    }
}
