package import Machine
package import Storage

/// The queue of notes to embed, shared by any number of gateways. Triggers fill it.
package struct PostgresQueue: Sendable {
    let store: PostgresStore

    /// Enqueues the notes whose vectors in a space are missing or stale, and every note written from then on.
    ///
    /// - Returns: The number of newly enqueued notes.
    @discardableResult
    package func reconcile(for space: SpaceID, isThorough: Bool = false) async throws -> Int {
        _ = try await store.write { connection in
            try await connection.run(
                """
                UPDATE spaces SET is_filled = true, is_reconciled = false, filled_by = pg_current_xact_id()
                WHERE id = $1 AND NOT is_filled
                """, [.integer(space)])
        }
        let state = try await store.rows(
            """
            SELECT is_reconciled, filled_by IS NULL OR filled_by < pg_snapshot_xmin(pg_current_snapshot())
            FROM spaces WHERE id = $1
            """, [.integer(space)])
        guard isThorough || state.bool(0, 0) != true else { return 0 }
        // Transactions that are older than the mark do not enqueue their notes; the next run finds those.
        let isComplete = state.bool(0, 1) == true
        return try await store.write { connection in
            let added = try await connection.run(
                """
                INSERT INTO queue (space_id, note_id) SELECT $1, n.id \(PostgresEmbeddings.pending)
                ORDER BY n.id ON CONFLICT DO NOTHING
                """, [.integer(space)], timeout: .seconds(600)
            ).changed
            if isComplete {
                try await connection.run(
                    "UPDATE spaces SET is_reconciled = true WHERE id = $1 AND NOT is_reconciled", [.integer(space)])
            }
            return added
        }
    }

    /// Leases due notes, newest first. No two workers get the same note, and none waits for another.
    package func claim(
        in space: SpaceID, as worker: WorkerName, limit: Int, maxBytes: Int = .max, lease: Duration,
        filter: QueueFilter = QueueFilter()
    ) async throws -> QueueClaim {
        try await store.write { connection in
            let rows = try await connection.run(
                """
                SELECT q.note_id, q.attempts, n.title, n.content, n.content_hash,
                    NOT n.hidden AND btrim(n.title || n.content) <> '' AND e.content_hash IS DISTINCT FROM n.content_hash
                FROM queue q JOIN notes n ON n.id = q.note_id
                LEFT JOIN embeddings e ON e.space_id = q.space_id AND e.note_id = q.note_id
                WHERE q.space_id = $1 AND q.due <= clock_timestamp() AND ($3 = '' OR substr(n.created_at, 1, 10) >= $3)
                ORDER BY q.due DESC, q.note_id DESC LIMIT $2 FOR UPDATE OF q SKIP LOCKED
                """, [.integer(space), .integer(Int64(limit)), .text(filter.createdSince ?? "")])
            var claim = QueueClaim(items: [], skipped: 0)
            var (needless, bytes) = ([Int64](), 0)
            for row in rows.indices {
                guard let id = rows.integer(row, 0) else { continue }
                guard rows.bool(row, 5) == true else {
                    needless.append(id)
                    continue
                }
                let note = PendingNote(
                    id: id, title: rows.text(row, 2) ?? "", content: rows.text(row, 3) ?? "",
                    contentHash: rows.bytes(row, 4) ?? [])
                bytes += note.title.utf8.count + note.content.utf8.count
                if !claim.items.isEmpty, bytes > maxBytes { break }
                claim.items.append(QueueItem(note: note, attempts: Int(rows.integer(row, 1) ?? 0)))
            }
            if !needless.isEmpty {
                try await connection.run(
                    "DELETE FROM queue WHERE space_id = $1 AND note_id = ANY ($2)",
                    [.integer(space), .integers(needless)])
            }
            claim.skipped = needless.count
            if !claim.items.isEmpty {
                try await connection.run(
                    """
                    UPDATE queue SET owner = $3, due = clock_timestamp() + $4::float8 * interval '1 second'
                    WHERE space_id = $1 AND note_id = ANY ($2)
                    """,
                    [
                        .integer(space), .integers(claim.items.map(\.note.id)), .text(worker.description),
                        .double(lease / .seconds(1)),
                    ])
            }
            return claim
        }
    }

    /// Dequeues notes that a worker holds and does not embed.
    package func remove(_ notes: Set<Int64>, in space: SpaceID, as worker: WorkerName) async throws {
        _ = try await store.write { connection in
            try await connection.run(
                "DELETE FROM queue WHERE space_id = $1 AND note_id = ANY ($2) AND owner = $3",
                [.integer(space), .integers(notes.sorted()), .text(worker.description)])
            // They still lack vectors.
            try await connection.run("UPDATE spaces SET is_reconciled = false WHERE id = $1", [.integer(space)])
        }
    }

    /// Stores the vectors of notes and dequeues the notes that the worker still holds, in one transaction.
    ///
    /// A note edited meanwhile gets its vectors and stays in the queue, since the edit ended the lease.
    package func complete(
        _ embeddings: [EmbeddingRow], failures: [QueueFailure] = [], in space: StoredSpace, as worker: WorkerName
    ) async throws {
        for row in embeddings {
            guard row.passages >= 1, row.vectors.count == row.passages * space.space.dimensions else {
                throw PostgresError(
                    .invalid, "the vectors of note \(row.noteID) do not have \(space.space.dimensions) dimensions each")
            }
        }
        let rows = embeddings.sorted { $0.noteID < $1.noteID }
        try await store.write { connection in
            try await Self.store(rows, in: space, connection)
            try await connection.run(
                "DELETE FROM queue WHERE space_id = $1 AND note_id = ANY ($2) AND owner = $3",
                [.integer(space.id), .integers(rows.map(\.noteID)), .text(worker.description)])
            try await connection.many(
                """
                UPDATE queue SET due = clock_timestamp() + $4::float8 * interval '1 second', attempts = attempts + 1, reason = $5,
                    owner = NULL
                WHERE space_id = $1 AND note_id = $2 AND owner = $3
                """,
                failures.map { failure in
                    [
                        .integer(space.id), .integer(failure.noteID), .text(worker.description),
                        failure.retryAfter.map { .double($0 / .seconds(1)) } ?? .null, .text(failure.reason),
                    ]
                })
        }
    }

    /// Writes vectors within a transaction. Deleted notes are skipped.
    static func store(
        _ rows: [EmbeddingRow], in space: StoredSpace, _ connection: PostgresConnection
    ) async throws {
        guard !rows.isEmpty else { return }
        let present = try await connection.run(
            "SELECT id FROM notes WHERE id = ANY ($1) ORDER BY id FOR KEY SHARE", [.integers(rows.map(\.noteID))])
        let ids = Set(present.indices.compactMap { present.integer($0, 0) })
        let kept = rows.filter { ids.contains($0.noteID) }
        guard !kept.isEmpty else { return }
        let numbers = PostgresValue.integers(kept.map(\.noteID))
        try await connection.run(
            "DELETE FROM vectors WHERE space_id = $1 AND note_id = ANY ($2)", [.integer(space.id), numbers])
        try await connection.run(
            """
            INSERT INTO embeddings (space_id, note_id, content_hash, passages)
            SELECT $1, * FROM unnest($2::bigint[], $3::bytea[], $4::bigint[])
            ON CONFLICT (space_id, note_id) DO UPDATE SET content_hash = excluded.content_hash, passages = excluded.passages
            """,
            [
                .integer(space.id), numbers, .blobs(kept.map(\.contentHash)),
                .integers(kept.map { Int64($0.passages) }),
            ])
        let dimensions = space.space.dimensions
        try await connection.many(
            "INSERT INTO vectors (space_id, note_id, passage, embedding) VALUES ($1, $2, $3, $4)",
            kept.flatMap { row in
                (0..<row.passages).map { passage in
                    [
                        .integer(space.id), .integer(row.noteID), .integer(Int64(passage)),
                        .vector(Array(row.vectors[passage * dimensions..<(passage + 1) * dimensions])),
                    ]
                }
            })
    }

    /// Leases of other gateways end by themselves: whether a process of another machine has ended is not known.
    package func freeDeadLeases() {}

    /// Gives back all notes of a worker without counting an attempt.
    package func giveBack(of worker: WorkerName) async throws {
        _ = try await store.write {
            try await $0.run(
                "UPDATE queue SET owner = NULL, due = '-infinity' WHERE owner = $1", [.text(worker.description)])
        }
    }

    /// Extends the leases of a worker.
    package func renewLeases(of worker: WorkerName, for lease: Duration) async throws {
        _ = try await store.write {
            try await $0.run(
                "UPDATE queue SET due = clock_timestamp() + $2::float8 * interval '1 second' WHERE owner = $1",
                [.text(worker.description), .double(lease / .seconds(1))])
        }
    }

    /// Counts the notes that lack vectors in a space, by state.
    package func counts(in space: SpaceID) async throws -> QueueCounts {
        let rows = try await store.rows(
            """
            SELECT count(*) FILTER (WHERE due IS NOT NULL AND owner IS NULL),
                count(*) FILTER (WHERE due IS NOT NULL AND owner IS NOT NULL), count(*) FILTER (WHERE due IS NULL)
            FROM queue WHERE space_id = $1
            """, [.integer(space)])
        func count(_ column: Int) -> Int { Int(rows.integer(0, column) ?? 0) }
        return QueueCounts(waiting: count(0), leased: count(1), failed: count(2))
    }

    /// The time until the next note of a space is due: zero for now, nil when no note is waiting or leased.
    package func nextDue(in space: SpaceID, filter: QueueFilter = QueueFilter()) async throws -> Duration? {
        let rows = try await store.rows(
            """
            SELECT greatest(0, extract(epoch FROM q.due - clock_timestamp()))::float8, q.due = '-infinity'
            FROM queue q WHERE q.space_id = $1 AND q.due IS NOT NULL AND ($2 = '' OR EXISTS
                (SELECT 1 FROM notes n WHERE n.id = q.note_id AND substr(n.created_at, 1, 10) >= $2))
            ORDER BY q.due LIMIT 1
            """, [.integer(space), .text(filter.createdSince ?? "")])
        guard rows.count == 1 else { return nil }
        if rows.bool(0, 1) == true { return .zero }
        return .seconds(rows.double(0, 0) ?? 0)
    }

    /// Notes that failed and are not retried.
    package func deadLetters(in space: SpaceID, limit: Int = 1000) async throws -> [DeadLetter] {
        let rows = try await store.rows(
            """
            SELECT note_id, reason, attempts FROM queue WHERE space_id = $1 AND due IS NULL ORDER BY note_id LIMIT $2
            """, [.integer(space), .integer(Int64(limit))])
        return rows.indices.compactMap { row in
            rows.integer(row, 0).map {
                DeadLetter(noteID: $0, reason: rows.text(row, 1) ?? "", attempts: Int(rows.integer(row, 2) ?? 0))
            }
        }
    }
}
