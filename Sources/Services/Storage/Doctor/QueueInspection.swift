import GRDB
import Machine

/// The result of checking that a space's queue holds all notes that lack vectors.
package struct QueueInspection: Sendable, Hashable {
    package var space: StoredSpace
    /// Notes with missing or stale vectors that are not in the queue.
    package var forgotten: Int
    /// Notes that failed and are not retried.
    package var failed: Int
    /// Leases of processes that have ended.
    package var deadLeases: Int

    package init(space: StoredSpace, forgotten: Int, failed: Int, deadLeases: Int) {
        (self.space, self.forgotten, self.failed, self.deadLeases) = (space, forgotten, failed, deadLeases)
    }

    /// Inspects every space of a file that is being filled. Hashes every note, about 3 ms for 1,000.
    ///
    /// - Throws: ``StorageError``.
    static func of(_ database: GatewayDatabase) async throws -> [QueueInspection] {
        var found: [QueueInspection] = []
        for status in try await database.spaces.all() where status.isFilled {
            let space = status.stored
            let (forgotten, owners) = try await database.read { database, layout in
                let forgotten = try Scalar.count(
                    database,
                    sql: """
                        SELECT count(*) \(layout.columns.pending) AND NOT EXISTS (
                            SELECT 1 FROM gateway_embedding_queue q WHERE q.space_id = ?1 AND q.note_id = n.id)
                        """, arguments: [space.id])
                let owners = try Scalar.texts(
                    database,
                    sql: """
                        SELECT owner FROM gateway_embedding_queue
                        WHERE space_id = ? AND owner IS NOT NULL AND typeof(owner) = 'text'
                        """, arguments: [space.id])
                return (forgotten ?? 0, owners)
            }
            found.append(
                QueueInspection(
                    space: space, forgotten: forgotten, failed: status.queue.failed,
                    deadLeases: owners.count { WorkerName($0).isGone }))
        }
        return found
    }
}
