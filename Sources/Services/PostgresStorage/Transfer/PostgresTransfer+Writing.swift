import Retrieval
package import Storage

/// A database as the target of a migration.
extension PostgresTransfer {
    package func transferState() async throws -> TransferState? {
        TransferState(
            try await store.rows("SELECT value FROM meta WHERE key = $1", [.text(FileTransfer.stateKey)]).text(0, 0))
    }

    /// Whether a migration into the database was begun and is not done.
    package func isUnfinished() async throws -> Bool { try await transferState().map { $0.phase != .done } ?? false }

    package func begin(_ state: TransferState) async throws {
        _ = try await store.write { try await Self.keep(state, $0) }
    }

    private static func keep(_ state: TransferState, _ connection: PostgresConnection) async throws {
        try await connection.run(
            "INSERT INTO meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [.text(FileTransfer.stateKey), .text(state.text)])
    }

    /// - Throws: ``PostgresError/Code/conflict`` when another run has taken over.
    func check(_ state: TransferState, _ connection: PostgresConnection) async throws {
        let rows = try await connection.run(
            "SELECT value FROM meta WHERE key = $1 FOR UPDATE", [.text(FileTransfer.stateKey)])
        guard TransferState(rows.text(0, 0))?.run == state.run else {
            throw PostgresError(.conflict, "another migration into \(title) has begun; this one ends")
        }
    }

    package func apply(_ notes: [TransferNote], removing: [Int64], _ state: TransferState) async throws {
        let records = notes.map(\.record)
        let shown = records.filter { !$0.isHidden }
        let texts = shown.map { IndexedText(title: $0.title, text: $0.content) }
        let numbers = try await store.notes.numbers(of: texts)
        let worded = zip(shown, texts).map { PostgresNotes.Worded(id: $0.id, created: $0.created, text: $1) }
        let ids = PostgresValue.integers(records.map(\.id))
        let stored = try await store.spaces.all().map(\.stored)
        try await store.write { connection in
            try await check(state, connection)
            if !removing.isEmpty {
                try await connection.run("DELETE FROM notes WHERE id = ANY ($1)", [.integers(removing)])
            }
            if !notes.isEmpty {
                try await connection.run("DELETE FROM note_sources WHERE note_id = ANY ($1)", [ids])
                try await PostgresNotes.write(records, connection)
                try await connection.run("DELETE FROM note_words WHERE note_id = ANY ($1)", [ids])
                try await store.notes.writeWords(of: worded, numbers: numbers, connection)
                try await Self.storeThreads(records, ids, connection)
                try await Self.storeVectors(notes, ids, stored, connection)
            }
            try await Self.keep(state, connection)
        }
        // Otherwise the change table would grow with the notes.
        if batches.next() % Self.batchesKept == 0 { try await store.maintain() }
    }

    private static func storeThreads(
        _ records: [NoteRecord], _ ids: PostgresValue, _ connection: PostgresConnection
    ) async throws {
        try await connection.run("DELETE FROM thread_notes WHERE note_id = ANY ($1)", [ids])
        let pairs = records.flatMap { record in record.threads.map { (record.id, $0) } }
        guard !pairs.isEmpty else { return }
        let threads = Dictionary(pairs.map { ($0.1.id, $0.1.name) }) { first, _ in first }.sorted { $0.key < $1.key }
        try await connection.run(
            """
            INSERT INTO threads (id, name, folded) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded = excluded.folded WHERE threads.name <> excluded.name
            """,
            [
                .integers(threads.map { $0.key }), .texts(threads.map { $0.value }),
                .texts(threads.map { PostgresNotes.foldedName($0.value) }),
            ])
        try await connection.run(
            "INSERT INTO thread_notes (note_id, thread_id) SELECT * FROM unnest($1::bigint[], $2::bigint[])",
            [.integers(pairs.map { $0.0 }), .integers(pairs.map { $0.1.id })])
    }

    private static func storeVectors(
        _ notes: [TransferNote], _ ids: PostgresValue, _ stored: [StoredSpace], _ connection: PostgresConnection
    ) async throws {
        try await connection.run("DELETE FROM embeddings WHERE note_id = ANY ($1)", [ids])
        for space in stored {
            let rows = notes.compactMap { note in
                note.vectors.first { $0.space == space.space }.map {
                    EmbeddingRow(
                        noteID: note.record.id, contentHash: $0.contentHash, vectors: $0.vectors, passages: $0.passages)
                }
            }
            for row in rows where row.passages < 1 || row.vectors.count != row.passages * space.space.dimensions {
                throw PostgresError(.invalid, "the vectors of note \(row.noteID) have another length than their space")
            }
            try await PostgresQueue.store(rows, in: space, connection)
        }
        try await connection.run(
            """
            DELETE FROM queue q USING notes n, embeddings e WHERE q.note_id = ANY ($1) AND n.id = q.note_id
                AND e.note_id = q.note_id AND e.space_id = q.space_id AND e.content_hash = n.content_hash
            """, [ids])
    }

    package func apply(_ threads: [ThreadRecord], _ state: TransferState) async throws {
        try await store.write { connection in
            try await check(state, connection)
            for start in stride(from: 0, to: threads.count, by: 2000) {
                let part = threads[start..<min(start + 2000, threads.count)]
                try await connection.run(
                    """
                    INSERT INTO threads (id, name, folded, extra, created)
                    SELECT u.id, u.name, u.folded, u.extra, nullif(u.created, 0)
                    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])
                        AS u (id, name, folded, extra, created)
                    ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded = excluded.folded,
                        extra = excluded.extra, created = excluded.created
                    """,
                    [
                        .integers(part.map(\.id)), .texts(part.map(\.name)),
                        .texts(part.map { PostgresNotes.foldedName($0.name) }), .texts(part.map(\.extra)),
                        .integers(part.map { $0.created ?? 0 }),
                    ])
            }
            try await connection.run(
                "DELETE FROM threads WHERE NOT (id = ANY ($1))", [.integers(threads.map(\.id))])
        }
    }

    package func ensure(_ spaces: [EmbeddingSpace]) async throws {
        for space in spaces { _ = try await store.spaces.ensure(space) }
    }

    package func finish(_ spaces: TransferSpaces, _ state: TransferState) async throws {
        let all = try await store.spaces.all()
        func id(_ space: EmbeddingSpace?) -> Int64? { all.first { $0.stored.space == space }?.stored.id }
        if let active = id(spaces.active), all.first(where: \.isActive)?.stored.id != active {
            try await store.spaces.activate(active)
        }
        let previous = id(spaces.previous)
        try await store.maintain()
        // The store's own transactions up to here are in the log before this position.
        let last = try await endOfChanges()
        try await store.write { connection in
            try await check(state, connection)
            if let previous {
                try await connection.run(
                    "INSERT INTO meta VALUES ('previous_space', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                    [.text(String(previous))])
            }
            for table in ["notes", "threads"] {
                try await connection.run(
                    """
                    SELECT setval(pg_get_serial_sequence('selene.\(table)', 'id'), greatest(coalesce(max(id), 0), 1),
                        coalesce(max(id), 0) >= 1) FROM \(table)
                    """)
            }
            var state = state
            state.ownChanges = last
            try await Self.keep(state, connection)
        }
    }
}
