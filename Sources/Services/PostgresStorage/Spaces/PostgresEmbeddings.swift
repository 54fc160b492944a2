package import GatewayAPI
package import Storage

/// The embedding spaces and the queue of a database, as an administrator sees them.
package struct PostgresEmbeddings: EmbeddingAdministration {
    /// SQL for the notes that lack a vector in a space, over `n` and `e`; `$1` is the space.
    static let pending = """
        FROM notes n LEFT JOIN embeddings e ON e.space_id = $1 AND e.note_id = n.id
        WHERE NOT n.hidden AND btrim(n.title || n.content) <> ''
            AND (e.note_id IS NULL OR e.content_hash <> n.content_hash)
        """

    let store: PostgresStore

    package func noteCount() async throws -> Int { try await store.notes.count() }

    package func titles(of notes: [Int64]) async throws -> [Int64: String] {
        let rows = try await store.rows("SELECT id, title FROM notes WHERE id = ANY ($1)", [.integers(notes)])
        return Dictionary(
            rows.indices.compactMap { row in rows.integer(row, 0).map { ($0, rows.text(row, 1) ?? "") } }
        ) { first, _ in first }
    }

    package func spaces() async throws -> [SpaceStatus] { try await store.spaces.all() }

    package func `switch`(to space: SpaceID, atLeast least: Double, isThorough: Bool) async throws -> SpaceSwitch {
        guard try await store.spaces.all().contains(where: { $0.stored.id == space }) else {
            throw PostgresError(.notFound, "there is no embedding space \(space)")
        }
        try await store.queue.reconcile(for: space, isThorough: isThorough)
        return try await store.spaces.switch(to: space, atLeast: least, isAutomatic: false)
    }

    package func rollBack() async throws -> StoredSpace {
        let space = try await store.spaces.rollBack()
        try await store.queue.reconcile(for: space.id)
        return space
    }

    package func drop(_ space: SpaceID) async throws { try await store.spaces.drop(space) }

    package func rate(of model: String) async throws -> Double? { try await store.spaces.rate(of: model) }

    package func failed(
        in space: SpaceID?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<FailedEmbedding> {
        try cursor?.check(numbers: 2)
        let start = cursor?.numbers ?? []
        let rows = try await store.rows(
            """
            SELECT space_id, note_id, left(reason, \(Self.maxReason)), attempts FROM queue
            WHERE due IS NULL AND ($1::bigint IS NULL OR space_id = $1)
                AND ($2::bigint IS NULL OR (space_id, note_id) > ($2, $3::bigint))
            ORDER BY space_id, note_id LIMIT $4
            """,
            [
                PostgresValue(space), PostgresValue(start.first), PostgresValue(start.last),
                .integer(Int64(limit) + 1),
            ])
        let found = rows.indices.compactMap { row -> (item: FailedEmbedding, cursor: PageCursor)? in
            guard let space = rows.integer(row, 0), let note = rows.integer(row, 1) else { return nil }
            let letter = DeadLetter(
                noteID: note, reason: rows.text(row, 2) ?? "", attempts: Int(clamping: rows.integer(row, 3) ?? 0))
            return (FailedEmbedding(space: space, letter: letter), PageCursor(space, note))
        }
        return Page(found, limit: limit) { $0.letter.reason.utf8.count }
    }

    /// The characters of a reason in a list.
    private static let maxReason = 4096

    package func retryFailed(in space: SpaceID?) async throws -> Int {
        try await store.write {
            try await $0.run(
                """
                UPDATE queue SET due = '-infinity', attempts = 0
                WHERE due IS NULL AND ($1::bigint IS NULL OR space_id = $1)
                """, [PostgresValue(space)])
        }.changed
    }

    package func retryFailed(_ note: Int64, in space: SpaceID) async throws -> Bool {
        try await store.write {
            try await $0.run(
                """
                UPDATE queue SET due = '-infinity', attempts = 0 WHERE space_id = $1 AND note_id = $2 AND due IS NULL
                """, [.integer(space), .integer(note)])
        }.changed > 0
    }

    package func discardFailed(_ note: Int64, in space: SpaceID) async throws -> Bool {
        try await store.write {
            try await $0.run(
                "DELETE FROM queue WHERE space_id = $1 AND note_id = $2 AND due IS NULL",
                [.integer(space), .integer(note)])
        }.changed > 0
    }

    package func freeDeadLeases() async throws { store.queue.freeDeadLeases() }

    package func pendingSize(
        in space: SpaceID?, filter: QueueFilter, limit: Int?
    ) async throws -> (notes: Int, bytes: Int) {
        let rows = try await store.read {
            try await $0.run(
                """
                SELECT count(*), coalesce(sum(bytes), 0)::bigint FROM (
                    SELECT octet_length(n.title) + octet_length(n.content) AS bytes \(Self.pending)
                        AND ($2 = '' OR substr(n.created_at, 1, 10) >= $2)
                    ORDER BY n.id DESC LIMIT $3
                ) AS p
                """,
                [
                    .integer(space ?? -1), .text(filter.createdSince ?? ""),
                    PostgresValue(limit.map { Int64($0) }),
                ], timeout: .seconds(600))
        }
        return (Int(clamping: rows.integer(0, 0) ?? 0), Int(clamping: rows.integer(0, 1) ?? 0))
    }

    /// Leases end by themselves here.
    package func inspection() async throws -> [QueueInspection] {
        var found: [QueueInspection] = []
        for status in try await spaces() where status.isFilled {
            let rows = try await store.read {
                try await $0.run(
                    """
                    SELECT count(*) \(Self.pending)
                        AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.space_id = $1 AND q.note_id = n.id)
                    """, [.integer(status.stored.id)], timeout: .seconds(600))
            }
            found.append(
                QueueInspection(
                    space: status.stored, forgotten: Int(clamping: rows.integer(0, 0) ?? 0),
                    failed: status.queue.failed, deadLeases: 0))
        }
        return found
    }

    package func refill(_ space: SpaceID) async throws {
        try await store.queue.reconcile(for: space, isThorough: true)
    }
}
