package import KeyRoom
package import Storage
import Synchronization

/// Moves notes out of PostgreSQL, and into it.
package struct PostgresTransfer: TransferSide {
    static let (mostNotes, mostBytes) = (256, 8 << 20)
    static let mostChanges = 2000

    /// The batches between two calls of ``PostgresStore/maintain(keeping:)``.
    static let batchesKept = 100

    let store: PostgresStore
    let batches = BatchCount()
    /// The rows of ``ingests(after:)``.
    package var mostIngests = 2000

    package init(_ store: PostgresStore) { self.store = store }

    package var title: String { "PostgreSQL at \(store.pool.address)" }

    package func identity() async throws -> String { try await store.identity() }

    package func noteCount() async throws -> Int {
        Int(try await store.rows("SELECT count(*) FROM notes").integer(0, 0) ?? 0)
    }

    package func lastNote() async throws -> Int64? {
        try await store.rows("SELECT max(id) FROM notes").integer(0, 0)
    }

    /// Tables whose rows are moved, or that the gateway makes again.
    private static let handled: Set<String> = [
        "notes", "threads", "thread_notes", "note_sources", "note_ingests", "spaces", "embeddings", "vectors", "meta",
        "changes",
        "queue", "gateway_keys", "gateway_key_usage", "gateway_key_version", "gateway_web_sessions", "gateway_pairings",
        "chat_sessions", "chat_messages",
        "memories", "memory_log", "memory_version",
        "gateway_memory_cursor", "gateway_memory_waiting",
        "note_words", "vocabulary", "totals", "stem_holders", "gateway_evaluation_copies",
        "gateway_meta", "gateway_note_groups", "gateway_association_pairs", "gateway_goal_context",
        "gateway_goal_dirty",
        "gateway_goal_matches", "gateway_goal_sweeps", "gateway_goal_totals", "gateway_goal_revisions",
        "gateway_goal_meaning", "gateway_goal_texts", "gateway_goal_summaries",
    ]

    package func leftBehind() async throws -> [TransferRemark] {
        let moved = Self.handled.union(RoomTransfer.tables.flatMap { $0.tables(in: .postgres) })
        let tables = try await store.rows(
            "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename", [SQLValue]()
        )
        var found: [TransferRemark] = []
        for table in tables.compactMap({ $0.text(0) }) where !moved.contains(table) {
            let name = table.replacing("\"", with: "\"\"")
            let count = try await store.rows("SELECT count(*) FROM \"\(name)\"").integer(0, 0) ?? 0
            if count > 0 { found.append(TransferRemark(table, Int(clamping: count), "rows stay in PostgreSQL")) }
        }
        return found
    }

    package var keys: KeyRoom { store.keys }

    package var conversations: any ConversationTransfer { PostgresConversations(transfer: self) }

    package var rooms: RoomTransfer { RoomTransfer(store, states: "meta") }

    // MARK: Reading

    package func transferSpaces() async throws -> TransferSpaces {
        let all = try await store.spaces.all()
        return TransferSpaces(
            all: all.map(\.stored.space), active: all.first(where: \.isActive)?.stored.space,
            previous: all.first(where: \.isPrevious)?.stored.space)
    }

    package func threadRecords() async throws -> [ThreadRecord] {
        let rows = try await store.rows("SELECT id, name, extra, created FROM threads ORDER BY id")
        return rows.indices.compactMap { row in
            rows.integer(row, 0).map {
                ThreadRecord(
                    id: $0, name: rows.text(row, 1) ?? "", extra: rows.text(row, 2), created: rows.integer(row, 3))
            }
        }
    }

    package func page(after id: Int64?, through last: Int64?) async throws -> TransferPage {
        let (first, overflow) = (id ?? .min).addingReportingOverflow(id == nil ? 0 : 1)
        guard !overflow, first <= last ?? .max else { return TransferPage(notes: [], last: nil, remarks: []) }
        return try await snapshot { connection in
            // Finds the end of the page before texts are loaded.
            let ids = try await connection.run(
                """
                SELECT id FROM (SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (
                    SELECT id, octet_length(content)::bigint AS size FROM notes WHERE id BETWEEN $1 AND $2 ORDER BY id LIMIT $3
                ) AS n) AS s WHERE before < $4 ORDER BY id
                """,
                [
                    .integer(first), .integer(last ?? .max), .integer(Int64(Self.mostNotes)),
                    .integer(Int64(Self.mostBytes)),
                ])
            let found = ids.indices.compactMap { ids.integer($0, 0) }
            return TransferPage(notes: try await Self.notes(found, connection), last: found.last, remarks: [])
        }
    }

    package func transferNotes(_ ids: [Int64]) async throws -> [TransferNote] {
        guard !ids.isEmpty else { return [] }
        return try await snapshot { try await Self.notes(ids, $0) }
    }

    private static func notes(_ ids: [Int64], _ connection: PostgresConnection) async throws -> [TransferNote] {
        guard !ids.isEmpty else { return [] }
        let records = try await PostgresNotes.records(ids, connection)
        let spaces = try await spaces(connection)
        let rows = try await connection.run(
            """
            SELECT note_id, space_id, content_hash, passages FROM embeddings WHERE note_id = ANY ($1)
            ORDER BY note_id, space_id
            """, [.integers(ids)])
        let numbers = try await connection.run(
            """
            SELECT note_id, space_id, embedding FROM vectors v
            WHERE space_id = ANY ($2) AND note_id = ANY ($1) ORDER BY note_id, space_id, passage
            """, [.integers(ids), .integers(spaces.keys.sorted())])
        var (vectors, next) = ([Int64: [TransferVectors]](), 0)
        for row in rows.indices {
            guard let id = rows.integer(row, 0), let space = rows.integer(row, 1), let known = spaces[space] else {
                continue
            }
            var floats: [Float] = []
            while next < numbers.count, numbers.integer(next, 0) == id, numbers.integer(next, 1) == space {
                floats += numbers.vector(next, 2) ?? []
                next += 1
            }
            vectors[id, default: []].append(
                TransferVectors(
                    space: known, contentHash: rows.bytes(row, 2) ?? [], passages: Int(rows.integer(row, 3) ?? 0),
                    vectors: floats))
        }
        return records.map { TransferNote(record: $0, vectors: vectors[$0.id] ?? []) }
    }

    private static func spaces(_ connection: PostgresConnection) async throws -> [Int64: EmbeddingSpace] {
        let rows = try await connection.run("SELECT \(PostgresSpaces.columns) FROM spaces")
        let spaces = rows.indices.compactMap { PostgresSpaces.space(rows, $0) }
        return Dictionary(spaces.map { ($0.id, $0.space) }) { first, _ in first }
    }

    /// Reads in one snapshot.
    private func snapshot<Value: Sendable>(
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        try await store.read { connection in
            try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            do {
                let value = try await body(connection)
                try await connection.script("COMMIT")
                return value
            } catch {
                // The pool drops the connection if this fails.
                _ = await Task { try? await connection.script("ROLLBACK") }.value
                throw error
            }
        }
    }

    // MARK: Changes

    /// Positions are the number of a transaction and of an entry: `717:42`. Entries of transactions that may still be
    /// running are not read, so none appears later before a position.
    package func endOfChanges() async throws -> String {
        let rows = try await store.rows("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
        return "\(rows.text(0, 0) ?? "0"):0"
    }

    package func changedNotes(after position: String) async throws -> TransferChanges {
        let parts = position.split(separator: ":").compactMap { Int64($0) }
        let (transaction, entry) = parts.count == 2 ? (parts[0], parts[1]) : (0, 0)
        return try await snapshot { connection in
            let state = try await connection.run(
                """
                SELECT pg_snapshot_xmin(pg_current_snapshot())::text,
                    (SELECT value FROM meta WHERE key = 'changes_cut')
                """)
            let end = "\(state.text(0, 0) ?? "0"):0"
            let cut = state.text(0, 1).flatMap(Int64.init) ?? -1
            guard parts.count == 2, cut < transaction else {
                return TransferChanges(ids: [], position: end, isComplete: false, isAtEnd: true)
            }
            let rows = try await connection.run(
                """
                SELECT note_id, transaction::text, seq FROM changes
                WHERE (transaction, seq) > ($1::text::xid8, $2) AND transaction < pg_snapshot_xmin(pg_current_snapshot())
                ORDER BY transaction, seq LIMIT $3
                """, [.text(String(transaction)), .integer(entry), .integer(Int64(Self.mostChanges))])
            let isAtEnd = rows.count < Self.mostChanges
            let last = rows.count - 1
            let reached = "\(rows.text(last, 1) ?? "0"):\(rows.integer(last, 2) ?? 0)"
            return TransferChanges(
                ids: Set(rows.indices.compactMap { rows.integer($0, 0) }), position: isAtEnd ? end : reached,
                isComplete: true, isAtEnd: isAtEnd)
        }
    }
}

/// Counts the batches of a migration.
final class BatchCount: Sendable {
    private let count = Atomic(0)

    /// Counts one more; returns the number.
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
