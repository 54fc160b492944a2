package import Storage

/// What an index of the notes follows: every note, and those that changed since.
extension PostgresNoteChanges {
    /// The bytes of texts and vectors that are read at once.
    private static let partBytes: Int64 = 16 << 20
    /// The most notes that are read at once.
    private static let partNotes = 1000

    /// The server's snapshot, and its run with the log's table: after a restart, a change of servers or a restored table, entries
    /// may have other numbers.
    private static let position = """
        pg_current_snapshot()::text,
        pg_postmaster_start_time()::text || ' ' || coalesce(pg_relation_filenode('changes'), 0)
        """

    /// - Parameter column: The first column of the position.
    private static func cursor(_ rows: PostgresRows, at column: Int = 0) throws -> ChangeCursor {
        guard let snapshot = rows.text(0, column), let log = rows.text(0, column + 1), let first = first(of: snapshot)
        else {
            throw PostgresError(.failed, "the server's snapshot cannot be read")
        }
        return ChangeCursor(position: first, transactions: .init(log: log, snapshot: snapshot))
    }

    /// The transaction before which all were over in a snapshot.
    private static func first(of snapshot: String) -> Int64? {
        snapshot.split(separator: ":").first.flatMap { Int64($0) }
    }

    package func changeState() async throws -> DatabaseChangeState {
        let rows = try await store.rows(
            """
            SELECT \(PostgresSpaces.columns), \(Self.position) FROM (SELECT 1) AS one
            LEFT JOIN spaces ON id = (SELECT value::bigint FROM meta WHERE key = 'active_space')
            """)
        return DatabaseChangeState(cursor: try Self.cursor(rows, at: 7), activeSpace: PostgresSpaces.space(rows, 0))
    }

    package func since(_ cursor: ChangeCursor, in space: StoredSpace?, limit: Int) async throws -> ChangeBatch {
        let (known, read) = (cursor.transactions, cursor.transactions?.read)
        // A number that was stored stands for the snapshot in which all transactions before it were over.
        let snapshot = known?.snapshot ?? "\(cursor.position):\(cursor.position):"
        let rows = try await store.rows(
            """
            SELECT s.*, c.note_id, c.transaction::text, c.seq
            FROM (SELECT \(Self.position), (SELECT value FROM meta WHERE key = 'changes_cut') AS cut) AS s
            LEFT JOIN LATERAL (
                SELECT note_id, transaction, seq FROM changes
                WHERE transaction >= pg_snapshot_xmin($1::text::pg_snapshot)
                    AND NOT pg_visible_in_snapshot(transaction, $1::text::pg_snapshot)
                    AND (transaction, seq) > ($2::text::xid8, $3)
                ORDER BY transaction, seq LIMIT $4
            ) c ON true ORDER BY c.transaction, c.seq
            """,
            [
                .text(snapshot), .text(read?.transaction ?? "0"), .integer(read?.entry ?? 0), .integer(Int64(limit)),
            ])
        let end = try Self.cursor(rows)
        let isCut = rows.text(0, 2).flatMap { Int64($0) }.map { $0 >= cursor.position } ?? false
        let isOther = known.map { $0.log != end.transactions?.log } ?? false
        guard !isCut, !isOther, end >= cursor else { return ChangeBatch(notes: [], cursor: end, needsReload: true) }
        let changed = rows.indices.compactMap { rows.integer($0, 3) }
        let taken = try await fitting(changed, in: space)
        // The first reading's snapshot counts: what was committed since is read again.
        let goal = read?.snapshot ?? end.transactions?.snapshot ?? snapshot
        var next = cursor
        next.transactions = end.transactions
        let hasMore = taken < changed.count || changed.count >= limit
        if hasMore, let transaction = rows.text(taken - 1, 4), let entry = rows.integer(taken - 1, 5) {
            next.transactions?.snapshot = snapshot
            next.transactions?.read = .init(transaction: transaction, entry: entry, snapshot: goal)
        } else {
            next = ChangeCursor(position: Self.first(of: goal) ?? cursor.position, transactions: next.transactions)
            next.transactions?.snapshot = goal
        }
        let notes = try await load(Set(changed.prefix(taken)).sorted(), in: space)
        return ChangeBatch(notes: notes, cursor: next, hasMore: hasMore, needsReload: false)
    }

    /// Reads every note. What changes meanwhile is in the log beyond the returned cursor.
    package func readAll(
        in space: StoredSpace?, batchSize: Int, _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> ChangeCursor {
        let begin = try await changeState().cursor
        var last: Int64?
        while let next = try await read(after: last, limit: 50_000, in: space, batchSize: batchSize, body) {
            last = next
        }
        return begin
    }

    package func read(
        after id: Int64?, limit: Int, in space: StoredSpace?, batchSize: Int,
        _ body: @escaping @Sendable ([IndexedNote]) throws -> Void
    ) async throws -> Int64? {
        let (first, overflow) = (id ?? .min).addingReportingOverflow(id == nil ? 0 : 1)
        guard !overflow else { return nil }
        let rows = try await store.rows(
            "SELECT id FROM notes WHERE id >= $1 ORDER BY id LIMIT $2", [.integer(first), .integer(Int64(limit))])
        let ids = rows.indices.compactMap { rows.integer($0, 0) }
        try await forEachPart(ids, in: space, atMost: batchSize) { part in
            let present = part.filter { if case .present = $0 { true } else { false } }
            if !present.isEmpty { try body(present) }
        }
        return ids.last
    }

    package func newestNotes(
        from id: Int64, and known: [Int64], in space: StoredSpace?, limit: Int
    ) async throws -> [IndexedNote] {
        let rows = try await store.rows(
            "SELECT id FROM notes WHERE id >= $1 ORDER BY id DESC LIMIT $2", [.integer(id), .integer(Int64(limit))])
        let ids = Set(rows.indices.compactMap { rows.integer($0, 0) }).union(known).sorted()
        var notes: [IndexedNote] = []
        try await forEachPart(ids, in: space) { notes += $0 }
        return notes
    }

    package func hasNotes(atLeast limit: Int) async throws -> Bool {
        let rows = try await store.rows(
            "SELECT count(*) >= $1 FROM (SELECT 1 FROM notes LIMIT $1) AS first", [.integer(Int64(limit))])
        return rows.bool(0, 0) ?? false
    }

    package func identity() async throws -> String { try await store.identity() }

    package func name(at cursor: ChangeCursor) async throws -> String {
        let rows = try await store.rows(
            """
            SELECT note_id FROM changes WHERE transaction < $1::text::xid8 ORDER BY transaction DESC, seq DESC LIMIT 64
            """, [.text(String(max(0, cursor.position)))])
        return try await identity() + "-" + tailHash(rows.indices.compactMap { rows.integer($0, 0) })
    }

    // MARK: Loading

    /// Calls the body with notes by id, in parts of a bounded size. Those that do not exist or are hidden are removals.
    private func forEachPart(
        _ ids: [Int64], in space: StoredSpace?, atMost most: Int = partNotes, _ body: ([IndexedNote]) throws -> Void
    ) async throws {
        var rest = ids[...]
        while !rest.isEmpty {
            try Task.checkCancellation()
            let part = Array(rest.prefix(max(1, most)))
            let count = try await fitting(part, in: space)
            rest = rest.dropFirst(count)
            try body(try await load(Array(part.prefix(count)), in: space))
        }
    }

    /// The number of notes, at least one, from the front of a list that may be read at once.
    private func fitting(_ ids: [Int64], in space: StoredSpace?) async throws -> Int {
        guard ids.count > 1 else { return ids.count }
        let rows = try await store.rows(
            """
            SELECT n.id, octet_length(n.content)::bigint + octet_length(n.title)
                + coalesce(e.passages, 0)::bigint * $3
            FROM notes n LEFT JOIN embeddings e ON e.space_id = $2 AND e.note_id = n.id
            WHERE n.id = ANY ($1) AND NOT n.hidden
            """,
            [
                .integers(Set(ids).sorted()), .integer(space?.id ?? -1),
                .integer(Int64(4 * (space?.space.dimensions ?? 0))),
            ])
        var sizes: [Int64: Int64] = [:]
        for row in rows.indices { if let id = rows.integer(row, 0) { sizes[id] = rows.integer(row, 1) } }
        var (rest, count) = (Self.partBytes, 0)
        for id in ids {
            // A note counts once.
            rest -= min(rest, sizes.removeValue(forKey: id) ?? 0)
            guard count == 0 || rest > 0 else { break }
            count += 1
        }
        return count
    }

    private func load(_ ids: [Int64], in space: StoredSpace?) async throws -> [IndexedNote] {
        let rows = try await store.rows(
            """
            SELECT n.id, CASE WHEN octet_length(n.title) <= \(ValueLimit.field) THEN n.title END,
                CASE WHEN octet_length(n.content) <= \(ValueLimit.text) THEN n.content END, n.note_type, n.actionability,
                n.created, n.tags, array(SELECT thread_id FROM thread_notes t WHERE t.note_id = n.id ORDER BY thread_id),
                e.passages
            FROM notes n LEFT JOIN embeddings e ON e.space_id = $2 AND e.note_id = n.id
            WHERE n.id = ANY ($1) AND NOT n.hidden ORDER BY n.id
            """, [.integers(ids), .integer(space?.id ?? -1)])
        var vectors: [Int64: (values: [Float], passages: Int)] = [:]
        if let space {
            let found = try await store.rows(
                """
                SELECT note_id, passage, embedding FROM vectors WHERE space_id = $1 AND note_id = ANY ($2)
                ORDER BY note_id, passage
                """, [.integer(space.id), .integers(ids)])
            for row in found.indices {
                guard let id = found.integer(row, 0), let vector = found.vector(row, 2),
                    vector.count == space.space.dimensions
                else { continue }
                // Ends before the first missing passage.
                let passages = vectors[id]?.passages ?? 0
                guard found.integer(row, 1) == Int64(passages) else { continue }
                vectors[id, default: ([], 0)].values += vector
                vectors[id]?.passages += 1
            }
        }
        var missing = Set(ids)
        var notes = rows.indices.compactMap { row -> IndexedNote? in
            guard let id = rows.integer(row, 0) else { return nil }
            missing.remove(id)
            var note = FeedNote(
                id: id, title: rows.text(row, 1) ?? "", content: rows.text(row, 2) ?? "", noteType: rows.text(row, 3),
                actionability: rows.text(row, 4), createdAt: rows.integer(row, 5) ?? 0,
                threads: rows.integers(row, 7) ?? [], tags: rows.texts(row, 6) ?? [])
            // A note that was embedded between the two statements is a change that follows.
            if let found = vectors[id], let stored = rows.integer(row, 8), found.passages <= stored {
                (note.vectors, note.passages) = (found.values, found.passages)
            }
            return .present(note)
        }
        notes += missing.sorted().map { .removed(id: $0) }
        return notes
    }
}
