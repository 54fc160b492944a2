import Foundation
import GRDB
import GatewayAPI
package import Machine

/// The queue of notes to embed, shared by any number of workers and processes.
///
/// Triggers enqueue each written note, whichever process writes it, for each space that is being filled. A worker
/// leases a note; the transaction that stores its vectors deletes the row.
package struct QueueStore: Sendable {
    let database: GatewayDatabase

    /// Enqueues the notes whose vectors in a space are missing or stale, and every note written from then on.
    ///
    /// Compares every note with its vectors, about 3 ms for 1,000, unless the queue is known to be complete; see
    /// ``Reconciliation``.
    ///
    /// - Parameter isThorough: Whether to compare in any case.
    /// - Returns: The number of newly enqueued notes.
    @discardableResult
    package func reconcile(for space: SpaceID, isThorough: Bool = false) async throws -> Int {
        // Another program may have dropped the triggers a moment ago.
        try await database.keepTriggers()
        let isDone = try await database.read { try Reconciliation.isDone($0, $1, space) }
        if isDone, !isThorough, database.triggers.isOn { return 0 }
        let name = try await database.writeRelaxed { database in
            try database.execute(sql: "UPDATE gateway_spaces SET is_filled = 1 WHERE id = ?", arguments: [space])
            return try Reconciliation.begin(database, space)
        }
        let added = try await enqueuePending(in: space)
        try await database.writeRelaxed { try Reconciliation.finish($0, $1, space, name: name) }
        return added
    }

    /// Enqueues the notes whose vectors in a space are missing or stale, in short transactions.
    ///
    /// - Returns: The number of newly enqueued notes.
    func enqueuePending(in space: SpaceID) async throws -> Int {
        // Hashing every note inside a write transaction would block other processes.
        let ids = try await database.read { database, layout in
            try Scalar.integers(
                database, sql: "SELECT n.id \(layout.columns.pending) ORDER BY n.id", arguments: [space])
        }
        var added = 0
        for start in stride(from: 0, to: ids.count, by: 2000) {
            try Task.checkCancellation()
            let chunk = ids[start..<min(start + 2000, ids.count)]
            added += try await database.writeRelaxed { database in
                let statement = try database.cachedStatement(
                    sql: """
                        INSERT OR IGNORE INTO gateway_embedding_queue (space_id, note_id)
                        SELECT ?1, id FROM raw_notes WHERE id = ?2
                        """)
                var added = 0
                for id in chunk {
                    try statement.execute(arguments: [space, id])
                    added += database.changesCount
                }
                return added
            }
        }
        return added
    }

    /// Leases due notes, newest first, until `limit` notes or `maxBytes` bytes of text are reached.
    ///
    /// - Parameter lease: How long the worker holds them unless it renews.
    package func claim(
        in space: SpaceID, as worker: WorkerName, limit: Int, maxBytes: Int = .max, lease: Duration,
        filter: QueueFilter = QueueFilter()
    ) async throws -> QueueClaim {
        try await database.writeRelaxed { database, layout in
            let columns = layout.columns
            let now = Timestamp.milliseconds
            try Self.freeStranded(database, space, now: now)
            let since = filter.createdSince.map { _ in "AND substr(n.created_at, 1, 10) >= ?4" } ?? ""
            var arguments: StatementArguments = [space, now, limit]
            if let day = filter.createdSince { arguments += [day] }
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT q.note_id, q.attempts, \(columns.boundedRaw("title")), \(columns.boundedRaw("content")), \(columns.hash),
                        e.content_hash, n.id IS NOT NULL AND \(columns.isShown) AND \(columns.embeddedText) <> ''
                    FROM gateway_embedding_queue q LEFT JOIN raw_notes n ON n.id = q.note_id
                    LEFT JOIN gateway_embeddings e ON e.space_id = q.space_id AND e.note_id = q.note_id
                    WHERE q.space_id = ?1 AND q.due <= ?2 \(since) ORDER BY q.due, q.note_id DESC LIMIT ?3
                    """, arguments: arguments)
            var claim = QueueClaim(items: [], skipped: 0)
            var needless: [Int64] = []
            var bytes = 0
            while let row = try rows.next() {
                guard let id = row.integer(0) else { continue }
                guard row.integer(6) == 1, let hash = row.bytes(4), row.bytes(5) != hash else {
                    needless.append(id)
                    continue
                }
                let note = PendingNote(
                    id: id, title: row.text(2) ?? "", content: row.text(3) ?? "", contentHash: Array(hash))
                bytes += note.title.utf8.count + note.content.utf8.count
                if !claim.items.isEmpty, bytes > maxBytes { break }
                claim.items.append(QueueItem(note: note, attempts: row.count(1)))
            }
            let deletion = try database.cachedStatement(
                sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ? AND note_id = ?")
            for id in needless { try deletion.execute(arguments: [space, id]) }
            claim.skipped = needless.count
            let taking = try RowStatement(
                database,
                """
                UPDATE gateway_embedding_queue SET state = 'leased', owner = ?, due = ?, content_hash = ?
                WHERE space_id = ? AND note_id = ?
                """)
            for item in claim.items {
                try taking.bind(worker.description, at: 1)
                try taking.bind(now + lease.wholeMilliseconds, at: 2)
                try taking.bind(item.note.contentHash, at: 3)
                try taking.bind(space, at: 4)
                try taking.bind(item.note.id, at: 5)
                try taking.run()
            }
            return claim
        }
    }

    /// The longest plausible delay in milliseconds; leases and retry delays are much shorter.
    static let horizon: Int64 = 3_600_000

    /// Makes notes due whose time lies beyond the horizon: the clock was set back since. Leases and retry delays use
    /// wall-clock time, since processes share them, even across a restart of the machine.
    private static func freeStranded(_ database: Database, _ space: SpaceID, now: Int64) throws {
        try database.cachedStatement(
            sql: "UPDATE gateway_embedding_queue SET due = 0 WHERE space_id = ? AND due > ?"
        ).execute(arguments: [space, now + horizon])
    }

    /// Dequeues notes that a worker holds and does not embed.
    package func remove(_ notes: Set<Int64>, in space: SpaceID, as worker: WorkerName) async throws {
        try await database.writeRelaxed { database in
            let deletion = try database.cachedStatement(
                sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ? AND note_id = ? AND owner = ?")
            for note in notes { try deletion.execute(arguments: [space, note, worker.description]) }
            // They still lack vectors.
            try Reconciliation.forget(database, space)
        }
    }

    /// Stores the vectors of notes and dequeues the notes that the worker still holds, in one transaction.
    ///
    /// A note edited meanwhile gets its vectors and stays in the queue, since the edit ended the lease.
    /// - Throws: ``StorageError``; nothing is stored then. ``StorageError/Code/invalid`` for a vector of the wrong
    ///   length.
    package func complete(
        _ rows: [EmbeddingRow], failures: [QueueFailure] = [], in space: StoredSpace, as worker: WorkerName
    ) async throws {
        for row in rows { try EmbeddingWriter.check(row, dimensions: space.space.dimensions) }
        try await database.writeRelaxed { database in
            let writer = try EmbeddingWriter(database: database, space: space)
            let deletion = try RowStatement(
                database, "DELETE FROM gateway_embedding_queue WHERE space_id = ? AND note_id = ? AND owner = ?")
            for row in rows {
                try writer.store(row)
                try deletion.bind(space.id, at: 1)
                try deletion.bind(row.noteID, at: 2)
                try deletion.bind(worker.description, at: 3)
                try deletion.run()
            }
            for failure in failures { try Self.fail(failure, in: space.id, as: worker, database) }
        }
    }

    private static func fail(
        _ failure: QueueFailure, in space: SpaceID, as worker: WorkerName, _ database: Database
    ) throws {
        try database.cachedStatement(
            sql: """
                UPDATE gateway_embedding_queue
                SET state = ?, due = ?, attempts = attempts + 1, reason = ?, content_hash = ?, owner = NULL
                WHERE space_id = ? AND note_id = ? AND owner = ?
                """
        ).execute(arguments: [
            failure.retryAfter == nil ? "failed" : "waiting",
            failure.retryAfter.map { Timestamp.milliseconds + $0.wholeMilliseconds }, failure.reason,
            Data(failure.contentHash),
            space, failure.noteID, worker.description,
        ])
    }

    /// Gives back all notes of a worker without counting an attempt.
    package func giveBack(of worker: WorkerName) async throws {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: """
                    UPDATE gateway_embedding_queue SET state = 'waiting', owner = NULL, due = 0 WHERE owner = ?
                    """, arguments: [worker.description])
        }
    }

    /// Extends the leases of a worker.
    package func renewLeases(of worker: WorkerName, for lease: Duration) async throws {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: "UPDATE gateway_embedding_queue SET due = ? WHERE owner = ?",
                arguments: [Timestamp.milliseconds + lease.wholeMilliseconds, worker.description])
        }
    }

    /// Frees the leases of processes that have ended, so that no worker waits for them to expire.
    package func freeDeadLeases() async throws {
        let owners = try await database.read { database in
            try Scalar.texts(
                database, sql: "SELECT DISTINCT owner FROM gateway_embedding_queue WHERE owner IS NOT NULL")
        }
        for owner in owners.map(WorkerName.init) where owner.isGone { try await giveBack(of: owner) }
    }

    /// Counts the notes that lack vectors in a space, by state.
    package func counts(in space: SpaceID) async throws -> QueueCounts {
        try await database.read { try Self.counts($0, space) }
    }

    static func counts(_ database: Database, _ space: SpaceID) throws -> QueueCounts {
        var counts = QueueCounts()
        let rows = try Row.fetchCursor(
            database,
            sql: "SELECT state, count(*) FROM gateway_embedding_queue WHERE space_id = ? GROUP BY state",
            arguments: [space])
        while let row = try rows.next() {
            switch row.text(0) {
            case "waiting": counts.waiting = row.count(1)
            case "leased": counts.leased = row.count(1)
            default: counts.failed += row.count(1)
            }
        }
        return counts
    }

    /// The time until the next note of a space is due: zero for now, nil when no note is waiting or leased.
    package func nextDue(in space: SpaceID, filter: QueueFilter = QueueFilter()) async throws -> Duration? {
        try await database.read { database in
            let since =
                filter.createdSince == nil
                ? ""
                : "AND EXISTS (SELECT 1 FROM raw_notes n WHERE n.id = note_id AND substr(n.created_at, 1, 10) >= ?2)"
            var arguments: StatementArguments = [space]
            if let day = filter.createdSince { arguments += [day] }
            let due = try Scalar.integer(
                database,
                sql: """
                    SELECT due FROM gateway_embedding_queue WHERE space_id = ?1 AND due IS NOT NULL \(since)
                    ORDER BY due LIMIT 1
                    """, arguments: arguments)
            return due.map { due in
                let wait = due.subtractingReportingOverflow(Timestamp.milliseconds).partialValue
                return .milliseconds(wait > Self.horizon ? 0 : max(0, wait))
            }
        }
    }

    /// Notes that failed and are not retried, by ascending id.
    package func deadLetters(in space: SpaceID, limit: Int = 1000) async throws -> [DeadLetter] {
        try await database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT note_id, reason, attempts FROM gateway_embedding_queue
                    WHERE space_id = ? AND due IS NULL ORDER BY note_id LIMIT ?
                    """, arguments: [space, limit]
            ).compactMap { row in
                row.integer(0).map { DeadLetter(noteID: $0, reason: row.text(1) ?? "", attempts: row.count(2)) }
            }
        }
    }

    /// Requeues failed notes and resets their attempts.
    ///
    /// - Parameter space: The space; all spaces when nil.
    /// - Returns: The number of requeued notes.
    package func retryFailed(in space: SpaceID? = nil) async throws -> Int {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: """
                    UPDATE gateway_embedding_queue SET state = 'waiting', attempts = 0, due = 0
                    WHERE state = 'failed' AND (?1 IS NULL OR space_id = ?1)
                    """, arguments: [space])
            return database.changesCount
        }
    }

    /// Counts the notes that lack vectors in a space, and the bytes of their texts. Changes nothing.
    ///
    /// - Parameter space: The space; nil for a space that does not exist yet.
    package func pendingSize(
        in space: SpaceID?, filter: QueueFilter, limit: Int?
    ) async throws -> (notes: Int, bytes: Int) {
        try await database.read { database, layout in
            let columns = layout.columns
            let since = filter.createdSince.map { _ in "AND substr(n.created_at, 1, 10) >= ?3" } ?? ""
            var arguments: StatementArguments = [space ?? -1, limit ?? -1]
            if let day = filter.createdSince { arguments += [day] }
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT count(*), total(bytes) FROM (
                    SELECT length(CAST(\(columns.embeddedText) AS BLOB)) AS bytes \(columns.pending) \(since)
                    ORDER BY n.id DESC LIMIT ?2)
                    """, arguments: arguments)
            return (row?.count(0) ?? 0, Int(min(row?.real(1) ?? 0, 1e15)))
        }
    }
}

extension Duration {
    var wholeMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
