import ChatRoom
import GatewayAPI
import Storage

/// The chat sessions, messages and memories of a PostgreSQL database, for a migration.
struct PostgresConversations: ConversationTransfer {
    /// The rows and bytes of text after which a page ends.
    static let (mostRows, mostBytes) = (256, 8 << 20)

    let transfer: PostgresTransfer

    var sessions: any TransferTable<SessionRecord> { PostgresSessionTable(transfer: transfer) }
    var memories: any TransferTable<MemoryRecord> { PostgresMemoryTable(transfer: transfer) }

    func messages(of session: TextKey) -> any TransferTable<MessageRecord> {
        PostgresMessageTable(transfer: transfer, session: session.text)
    }

    func counts() async throws -> ConversationCounts {
        let rows = try await transfer.store.rows(
            """
            SELECT (SELECT count(*) FROM chat_sessions), (SELECT count(*) FROM chat_messages),
                (SELECT count(*) FROM memories)
            """)
        func count(_ column: Int) -> Int { Int(clamping: rows.integer(0, column) ?? 0) }
        return ConversationCounts(sessions: count(0), messages: count(1), memories: count(2))
    }

    func highest() async throws -> ConversationNumbers {
        let rows = try await transfer.store.rows(
            """
            SELECT (SELECT max(id) FROM chat_messages),
                greatest((SELECT max(id) FROM memories), (SELECT max(memory_id) FROM gateway_memory_changes))
            """)
        func number(_ column: Int) -> Int64 { rows.integer(0, column) ?? 0 }
        return ConversationNumbers(message: number(0), memory: number(1))
    }

    func reserve(_ numbers: ConversationNumbers, _ state: TransferState) async throws {
        let own = try await highest()
        try await transfer.store.write { connection in
            try await transfer.check(state, connection)
            for (table, column, number) in [
                ("chat_messages", "id", max(numbers.message, own.message)),
                ("memories", "id", max(numbers.memory, own.memory)),
            ] where number > 0 {
                try await connection.run(
                    "SELECT setval(pg_get_serial_sequence('selene.\(table)', '\(column)'), $1)", [.integer(number)])
            }
        }
    }

    /// SQL for some columns of the rows of a page. The end of the page is found before texts are loaded.
    ///
    /// - Parameters:
    ///   - table: The table and its alias.
    ///   - condition: SQL over the alias.
    ///   - size: SQL for the bytes of a row.
    static func page(
        _ table: (name: String, alias: String), _ condition: String, size: String, columns: String
    ) -> String {
        let (name, alias) = table
        return """
            SELECT \(columns) FROM \(name) \(alias) JOIN (
                SELECT id, sum(size) OVER (ORDER BY id) - size AS before FROM (
                    SELECT \(alias).id, (\(size))::bigint AS size FROM \(name) \(alias) WHERE \(condition)
                    ORDER BY \(alias).id LIMIT \(mostRows)
                ) AS n
            ) AS p ON p.id = \(alias).id WHERE p.before < \(mostBytes) AND \(condition) ORDER BY \(alias).id
            """
    }
}

/// The chat sessions of a database, for a migration.
private struct PostgresSessionTable: TransferTable {
    let transfer: PostgresTransfer

    func page(after key: TextKey?, through last: TextKey?) async throws -> TransferRows<SessionRecord> {
        let sql = PostgresConversations.page(
            ("chat_sessions", "s"), "s.id > $1 AND ($2::text IS NULL OR s.id <= $2)",
            size: "octet_length(s.messages_json)", columns: PostgresSessions.columns)
        let found = try await transfer.store.rows(sql, [.text(key?.text ?? ""), PostgresValue(last?.text)])
        let rows = found.indices.compactMap { PostgresSessions.session(found, $0).map { SessionRecord($0) } }
        return TransferRows(rows, last: rows.last?.key)
    }

    func rows(_ keys: [TextKey]) async throws -> [SessionRecord] {
        let found = try await transfer.store.rows(
            "SELECT \(PostgresSessions.columns) FROM chat_sessions s WHERE s.id = ANY ($1)",
            [.texts(keys.map(\.text))])
        return found.indices.compactMap { PostgresSessions.session(found, $0).map { SessionRecord($0) } }
    }

    func apply(_ rows: [SessionRecord], removing: [TextKey], _ state: TransferState) async throws {
        try await transfer.store.write { connection in
            try await transfer.check(state, connection)
            if !removing.isEmpty {
                try await connection.run(
                    "DELETE FROM chat_sessions WHERE id = ANY ($1)", [.texts(removing.map(\.text))])
            }
            for row in rows { try await connection.run(Self.upsert, Self.values(row)) }
        }
    }

    private static let upsert = """
        INSERT INTO chat_sessions (id, title, created, updated, is_pinned, compression_state, compressed,
            messages_json, message_count, summary_text)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, created = excluded.created, updated = excluded.updated,
            is_pinned = excluded.is_pinned, compression_state = excluded.compression_state,
            compressed = excluded.compressed, messages_json = excluded.messages_json,
            message_count = excluded.message_count, summary_text = excluded.summary_text
        """

    private static func values(_ row: SessionRecord) -> [PostgresValue] {
        [
            .text(row.key.text), .text(row.name), .integer(row.created), .integer(row.updated), .bool(row.isPinned),
            .text(row.compressionState), PostgresValue(row.compressed), .text(row.messagesJSON),
            .integer(Int64(row.messageCount)), PostgresValue(row.summaryText),
        ]
    }
}

/// The messages of a chat session in a database, for a migration.
private struct PostgresMessageTable: TransferTable {
    private static let owner = "(SELECT number FROM chat_sessions WHERE id = $1)"

    let transfer: PostgresTransfer
    let session: String

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<MessageRecord> {
        let sql = PostgresConversations.page(
            ("chat_messages", "m"),
            "m.session = \(Self.owner) AND ($2::bigint IS NULL OR m.id > $2) AND m.id <= $3",
            size: "octet_length(m.content)", columns: Self.columns)
        return try await records(sql, [PostgresValue(key), .integer(last ?? .max)])
    }

    func rows(_ keys: [Int64]) async throws -> [MessageRecord] {
        try await records(
            "SELECT \(Self.columns) FROM chat_messages m WHERE m.session = \(Self.owner) AND m.id = ANY ($2)",
            [.integers(keys)]
        ).rows
    }

    private static let columns = """
        m.id, m.role, CASE WHEN octet_length(m.content) <= \(ValueLimit.text) THEN m.content END, m.created,
        m.parent, m.run, m.is_linked
        """

    private func records(_ sql: String, _ values: [PostgresValue]) async throws -> TransferRows<MessageRecord> {
        let found = try await transfer.store.rows(sql, [.text(session)] + values)
        let rows = found.indices.compactMap { row in
            found.integer(row, 0).map { id in
                MessageRecord(
                    Message(
                        id: id, sessionID: session, role: found.text(row, 1) ?? "", content: found.text(row, 2) ?? "",
                        createdAt: found.integer(row, 3).map(Timestamp.text), parent: found.integer(row, 4),
                        run: found.text(row, 5)), isLinked: found.bool(row, 6) ?? false)
            }
        }
        return TransferRows(rows, last: rows.last?.key)
    }

    func apply(_ rows: [MessageRecord], removing: [Int64], _ state: TransferState) async throws {
        try await transfer.store.write { connection in
            try await transfer.check(state, connection)
            if !removing.isEmpty {
                try await connection.run(
                    "DELETE FROM chat_messages WHERE session = \(Self.owner) AND id = ANY ($2)",
                    [.text(session), .integers(removing)])
            }
            guard !rows.isEmpty else { return }
            // A session that is gone by now takes no messages.
            try await connection.run(
                """
                INSERT INTO chat_messages (session, id, role, content, created, parent, run, is_linked)
                SELECT s.number, u.id, u.role, u.content, u.created, CASE WHEN u.has_parent > 0 THEN u.parent END, u.run,
                    u.is_linked > 0
                FROM chat_sessions s, unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
                    $7::bigint[], $8::text[], $9::bigint[])
                    AS u (id, role, content, created, parent, has_parent, run, is_linked)
                WHERE s.id = $1
                ON CONFLICT (session, id) DO UPDATE SET role = excluded.role, content = excluded.content,
                    created = excluded.created, parent = excluded.parent, run = excluded.run,
                    is_linked = excluded.is_linked
                """,
                [
                    .text(session), .integers(rows.map(\.key)), .texts(rows.map(\.role)), .texts(rows.map(\.content)),
                    .integers(rows.map(\.created)), .integers(rows.map { $0.parent ?? 0 }),
                    .integers(rows.map { $0.parent == nil ? 0 : 1 }), .texts(rows.map(\.run)),
                    .integers(rows.map { $0.isLinked ? 1 : 0 }),
                ])
        }
    }
}

/// The memories of a database, for a migration.
private struct PostgresMemoryTable: TransferTable {
    let transfer: PostgresTransfer

    private static let columns =
        "m.id, m.content, m.type, m.confidence, m.source_session, m.created, m.updated, m.accessed, m.embedding"

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<MemoryRecord> {
        let sql = PostgresConversations.page(
            ("memories", "m"), "($1::bigint IS NULL OR m.id > $1) AND m.id <= $2",
            size: "octet_length(m.content) + coalesce(octet_length(m.embedding), 0)", columns: Self.columns)
        return try await records(sql, [PostgresValue(key), .integer(last ?? .max)])
    }

    func rows(_ keys: [Int64]) async throws -> [MemoryRecord] {
        try await records(
            "SELECT \(Self.columns) FROM memories m WHERE m.id = ANY ($1)", [.integers(keys)]
        ).rows
    }

    private func records(_ sql: String, _ values: [PostgresValue]) async throws -> TransferRows<MemoryRecord> {
        let found = try await transfer.store.rows(sql, values)
        let rows = found.all.compactMap { row -> MemoryRecord? in
            guard let id = row.integer(0) else { return nil }
            let memory = Memory(
                id: id, content: row.text(1) ?? "", type: row.text(2), confidence: row.real(3) ?? 1,
                sourceSessionID: row.text(4), createdAt: row.date(5), updatedAt: row.date(6),
                lastAccessedAt: row.date(7))
            return MemoryRecord(
                memory, vector: row.bytes(8).flatMap { VectorBlob.decode($0, dimensions: $0.count / 4) })
        }
        return TransferRows(rows, last: rows.last?.key)
    }

    func apply(_ rows: [MemoryRecord], removing: [Int64], _ state: TransferState) async throws {
        try await transfer.store.transaction { [store = transfer.store] session in
            let memories = store.memoryTables(in: session)
            try memories.lock()
            try state.check(in: "meta", session)
            for id in removing { _ = try memories.delete(id) }
            for row in rows { try session.run(Self.upsert, Self.values(row)) }
        }
    }

    /// Times that the other store has no columns for stay as they are.
    private static let upsert = """
        INSERT INTO memories AS m (id, content, type, confidence, source_session, embedding, created, updated, accessed)
        VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8, $7), coalesce($9, $7))
        ON CONFLICT (id) DO UPDATE SET content = excluded.content, type = excluded.type,
            confidence = excluded.confidence, source_session = excluded.source_session,
            embedding = excluded.embedding, created = excluded.created,
            updated = coalesce($8, m.updated), accessed = coalesce($9, m.accessed)
        """

    private static func values(_ row: MemoryRecord) -> [SQLValue] {
        [
            .integer(row.key), .text(row.content), .text(row.type), .real(row.confidence), .text(row.sourceSession),
            .bytes(row.vector.map { VectorBlob.bytes($0) }), .integer(row.created), .integer(row.updated),
            .integer(row.accessed),
        ]
    }
}
