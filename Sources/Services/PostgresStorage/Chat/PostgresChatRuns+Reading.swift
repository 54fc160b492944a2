import Foundation
package import GatewayAPI
package import Storage

/// Reading runs and the messages that follow each other.
extension PostgresChatRuns {
    private static let columns = """
        r.id, s.id, r.key_id, r.state, r.question, r.request, r.model, r.error, r.stop_reason, r.life, r.user_message,
        r.message, r.created, r.updated
        """

    /// Reads a row; nil when there is none, or it has a state unknown to this version.
    private static func run(_ rows: PostgresRows, _ row: Int, text: Int? = nil, record: Int? = nil) -> StoredChatRun? {
        guard let id = rows.text(row, 0), let session = rows.text(row, 1),
            let state = rows.text(row, 3).flatMap(ChatRun.State.init)
        else { return nil }
        func time(_ column: Int) -> String { rows.integer(row, column).map(Timestamp.text) ?? "" }
        return StoredChatRun(
            id: id, session: session, question: rows.text(row, 4) ?? "", model: rows.text(row, 6) ?? "",
            request: rows.text(row, 5) ?? "{}", key: rows.integer(row, 2), state: state,
            text: text.flatMap { rows.text(row, $0) } ?? "",
            record: record.flatMap { rows.record(row, $0) } ?? ChatRecord(), error: rows.text(row, 7),
            stopReason: rows.text(row, 8), life: Int(clamping: rows.integer(row, 9) ?? 0),
            userMessage: rows.integer(row, 10), message: rows.integer(row, 11), createdAt: time(12),
            updatedAt: time(13))
    }

    static func find(_ id: String, _ connection: PostgresConnection) async throws -> StoredChatRun? {
        let rows = try await connection.run(
            """
            SELECT \(columns), r.text, r.record FROM chat_runs r JOIN chat_sessions s ON s.number = r.session
            WHERE r.id = $1
            """, [.text(id)])
        return run(rows, 0, text: 14, record: 15)
    }

    package func find(_ id: String) async throws -> StoredChatRun? {
        let found = try await store.read { try await Self.find(id, $0) }
        guard let found, !found.state.isFinal else { return found }
        try await interruptDeadRuns()
        return try await store.read { try await Self.find(id, $0) }
    }

    package func page(
        running: Bool, session: String?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<StoredChatRun> {
        try cursor?.check(numbers: 1)
        try await interruptDeadRuns()
        let rows = try await store.rows(
            """
            SELECT \(Self.columns), r.number FROM chat_runs r JOIN chat_sessions s ON s.number = r.session
            WHERE ($1::bigint IS NULL OR r.number < $1) AND (NOT $2 OR r.owner IS NOT NULL)
                AND ($3::text IS NULL OR s.id = $3) ORDER BY r.number DESC LIMIT $4
            """,
            [
                PostgresValue(cursor?.numbers[0]), .bool(running), PostgresValue(session), .integer(Int64(limit) + 1),
            ])
        let found = rows.indices.compactMap { row in
            Self.run(rows, row).map { (item: $0, cursor: PageCursor(rows.integer(row, 14) ?? 0)) }
        }
        return Page(found, limit: limit) { $0.question.utf8.count + $0.request.utf8.count + 512 }
    }

    package func sources(of runs: [String]) async throws -> [String: ChatRunSources] {
        guard !runs.isEmpty else { return [:] }
        let rows = try await store.rows(
            "SELECT id, request, model, record FROM chat_runs WHERE id = ANY ($1)", [.texts(runs)])
        return rows.indices.reduce(into: [:]) { found, row in
            guard let id = rows.text(row, 0) else { return }
            found[id] = ChatRunSources(
                rows.record(row, 3) ?? ChatRecord(), request: rows.text(row, 1) ?? "{}", model: rows.text(row, 2) ?? "")
        }
    }

    package func requests(of session: String, limit: Int) async throws -> [String] {
        let rows = try await store.rows(
            """
            SELECT r.request FROM chat_runs r JOIN chat_sessions s ON s.number = r.session
            WHERE s.id = $1 ORDER BY r.number DESC LIMIT $2
            """, [.text(session), .integer(Int64(limit))])
        return rows.indices.compactMap { rows.text($0, 0) }
    }

    // MARK: Messages

    package func history(through message: Int64?, of session: String) async throws -> [Message] {
        guard let message else { return [] }
        return try await store.read { try await Self.history(through: message, of: session, $0) }
    }

    package func conversation(before question: Int64?, of session: String) async throws -> ChatConversation {
        guard let question else { return ChatConversation(messages: []) }
        return try await store.read { connection in
            var messages = try await Self.history(through: question, of: session, connection)[...]
            if messages.last?.id == question { messages.removeLast() }
            return ChatConversation(
                messages: messages,
                summary: try await PostgresSummaries.reaching(furthestIn: messages.map(\.id), of: session, connection),
                foreignSummary: try await PostgresSummaries.foreignSummary(of: session, connection))
        }
    }

    package func latestBranch(of session: String) async throws -> [Message] {
        try await store.read { connection in
            let last = try await connection.run(
                """
                SELECT m.id FROM chat_messages m JOIN chat_sessions s ON s.number = m.session WHERE s.id = $1
                ORDER BY m.created DESC, m.id DESC LIMIT 1
                """, [.text(session)])
            guard let id = last.integer(0, 0) else { return [] }
            return try await Self.history(through: id, of: session, connection)
        }
    }

    /// A message and those that it follows, oldest first. A message that is not linked follows the one before it.
    private static func history(
        through message: Int64, of session: String, _ connection: PostgresConnection
    ) async throws -> [Message] {
        let columns = "m.id, m.role, m.content, m.created, m.is_linked, m.parent, m.run"
        let rows = try await connection.run(
            """
            WITH RECURSIVE s AS (SELECT number FROM chat_sessions WHERE id = $1), chain AS (
                SELECT \(columns), 1 AS place, octet_length(m.content)::bigint AS bytes
                FROM s JOIN chat_messages m ON m.session = s.number AND m.id = $2
                UNION ALL
                SELECT \(columns), c.place + 1, c.bytes + octet_length(m.content)
                FROM chain c CROSS JOIN s JOIN chat_messages m ON m.session = s.number AND m.id < c.id
                    AND m.id = CASE WHEN c.is_linked THEN c.parent ELSE (
                        SELECT max(p.id) FROM chat_messages p WHERE p.session = s.number AND p.id < c.id) END
                WHERE c.place < $3 AND c.bytes < $4
            )
            SELECT id, role, CASE WHEN octet_length(content) <= \(ValueLimit.text) THEN content END, created, parent, run
            FROM chain ORDER BY place DESC
            """,
            [
                .text(session), .integer(message), .integer(Int64(ChatRunStore.maxHistory)),
                .integer(Int64(ValueLimit.batch)),
            ])
        return rows.indices.compactMap { row in
            rows.integer(row, 0).map { id in
                Message(
                    id: id, sessionID: session, role: rows.text(row, 1) ?? "", content: rows.text(row, 2) ?? "",
                    createdAt: rows.integer(row, 3).map(Timestamp.text), parent: rows.integer(row, 4),
                    run: rows.text(row, 5))
            }
        }
    }

    static func lastMessage(_ session: Int64, _ connection: PostgresConnection) async throws -> Int64? {
        try await connection.run(
            "SELECT id FROM chat_messages WHERE session = $1 ORDER BY created DESC, id DESC LIMIT 1",
            [.integer(session)]
        ).integer(0, 0)
    }

    // MARK: Locks

    /// Locks a session and returns its number; nil when it does not exist.
    static func lockedSession(_ id: String, _ connection: PostgresConnection) async throws -> Int64? {
        try await connection.run(
            "SELECT number FROM chat_sessions WHERE id = $1 FOR NO KEY UPDATE", [.text(id)]
        ).integer(0, 0)
    }

    /// A run whose row and session are locked.
    struct Held {
        let session: Int64
        let state: ChatRun.State?
        let owner: String?
        let userMessage: Int64?
        let message: Int64?
        /// Whether its lease has ended.
        let isOver: Bool
    }

    /// Locks a run's session, then the run; nil when it does not exist.
    static func held(_ id: String, _ connection: PostgresConnection, _ lease: Double) async throws -> Held? {
        let locked = try await connection.run(
            """
            SELECT number FROM chat_sessions WHERE number = (SELECT session FROM chat_runs WHERE id = $1)
            FOR NO KEY UPDATE
            """, [.text(id)])
        guard let session = locked.integer(0, 0) else { return nil }
        let rows = try await connection.run(
            """
            SELECT state, owner, user_message, message, \(PostgresLease.isOver) FROM chat_runs WHERE id = $2 FOR UPDATE
            """, [.double(lease), .text(id)])
        guard rows.count > 0 else { return nil }
        return Held(
            session: session, state: rows.text(0, 0).flatMap(ChatRun.State.init), owner: rows.text(0, 1),
            userMessage: rows.integer(0, 2), message: rows.integer(0, 3), isOver: rows.bool(0, 4) ?? true)
    }

    static func noRun(_ id: String) -> StorageError { StorageError(.notFound, "there is no run \"\(id)\"") }
}

extension PostgresRows {
    /// The record of a run.
    fileprivate func record(_ row: Int, _ column: Int) -> ChatRecord? {
        bytes(row, column).flatMap { ChatRecord(json: Data($0)) }
    }
}
