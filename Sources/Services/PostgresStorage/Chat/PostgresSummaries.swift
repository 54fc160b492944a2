import GatewayAPI
package import Storage

/// Summaries that all gateways on the database share, as ``SummaryStore`` keeps them in a file.
package struct PostgresSummaries: SummaryRecords {
    let store: PostgresStore

    // MARK: Reading

    package func reaching(furthestIn branch: [Int64], of session: String) async throws -> ChatSummary? {
        guard !branch.isEmpty else { return nil }
        return try await store.read { try await Self.reaching(furthestIn: branch, of: session, $0) }
    }

    static func reaching(
        furthestIn branch: [Int64], of session: String, _ connection: PostgresConnection
    ) async throws -> ChatSummary? {
        guard !branch.isEmpty else { return nil }
        let rows = try await connection.run(
            """
            SELECT g.message, g.text, g.notes, g.model
            FROM unnest($2::bigint[]) WITH ORDINALITY AS b (message, place)
            JOIN chat_summaries g ON g.message = b.message
                AND g.session = (SELECT number FROM chat_sessions WHERE id = $1)
            ORDER BY b.place DESC LIMIT 1
            """, [.text(session), .integers(branch)])
        return rows.integer(0, 0).map {
            ChatSummary(
                message: $0, text: rows.text(0, 1) ?? "", notes: rows.integers(0, 2) ?? [],
                model: rows.text(0, 3) ?? "")
        }
    }

    package func foreignSummary(of session: String) async throws -> String? {
        try await store.read { try await Self.foreignSummary(of: session, $0) }
    }

    static func foreignSummary(of session: String, _ connection: PostgresConnection) async throws -> String? {
        try await connection.run(
            """
            SELECT CASE WHEN octet_length(s.summary_text) <= \(ValueLimit.field) THEN s.summary_text END
            FROM chat_sessions s WHERE s.id = $1 AND NOT EXISTS (
                SELECT 1 FROM chat_summaries g WHERE g.session = s.number AND g.text = s.summary_text)
            """, [.text(session)]
        ).text(0, 0)
    }

    package func next() async throws -> PendingCompression? {
        try await first(where: "c.due IS NOT NULL ORDER BY c.due, c.session LIMIT 1")
    }

    package func pending(_ session: String) async throws -> PendingCompression? {
        try await first(where: "s.id = $1 AND c.due IS NOT NULL", [.text(session)])
    }

    private func first(
        where condition: String, _ values: [PostgresValue] = []
    ) async throws -> PendingCompression? {
        let rows = try await store.rows(
            """
            SELECT s.id, c.message, c.model, c.key_id, c.attempts, c.due
            FROM chat_compressions c JOIN chat_sessions s ON s.number = c.session WHERE \(condition)
            """, values)
        guard let session = rows.text(0, 0), let message = rows.integer(0, 1) else { return nil }
        return PendingCompression(
            session: session, message: message, model: rows.text(0, 2) ?? "", key: rows.integer(0, 3),
            attempts: Int(clamping: rows.integer(0, 4) ?? 0), dueAt: rows.integer(0, 5))
    }

    // MARK: Writing

    package func request(
        _ session: String, through message: Int64, model: String, key: Int64?, promptly: Bool
    ) async throws -> Bool {
        try await store.write { connection in
            let rows = try await connection.run(
                """
                INSERT INTO chat_compressions AS c (session, message, model, key_id, state_before, due)
                SELECT s.number, $2::bigint, $3::text, $4::bigint, nullif(s.compression_state, 'processing'), $5::bigint
                FROM chat_sessions s JOIN chat_messages m ON m.session = s.number AND m.id = $2 WHERE s.id = $1
                ON CONFLICT (session) DO UPDATE SET message = excluded.message, model = excluded.model,
                    key_id = excluded.key_id,
                    attempts = CASE WHEN $6 OR c.due IS NULL THEN 0 ELSE c.attempts END,
                    due = CASE WHEN $6 OR c.due IS NULL THEN excluded.due ELSE c.due END,
                    error = CASE WHEN c.due IS NULL THEN NULL ELSE c.error END
                RETURNING session
                """,
                [
                    .text(session), .integer(message), .text(model), PostgresValue(key),
                    .integer(Timestamp.milliseconds), .bool(promptly),
                ])
            guard let number = rows.integer(0, 0) else { return false }
            try await Self.mark(number, "processing", connection)
            return true
        }
    }

    package func keep(_ summary: ChatSummary, of session: String) async throws {
        try await store.write { connection in
            try await connection.run(
                """
                WITH s AS (
                    UPDATE chat_sessions SET summary_text = $3::text, compressed = \(PostgresSessions.now) WHERE id = $1
                    RETURNING number
                )
                INSERT INTO chat_summaries (session, message, text, notes, model, created)
                SELECT s.number, $2::bigint, $3::text, $4::bigint[], $5::text, \(PostgresSessions.now) FROM s
                ON CONFLICT (session, message) DO UPDATE SET text = excluded.text, notes = excluded.notes,
                    model = excluded.model, created = excluded.created
                """,
                [
                    .text(session), .integer(summary.message), .text(summary.text), .integers(summary.notes),
                    .text(summary.model),
                ])
        }
    }

    package func finish(_ pending: PendingCompression) async throws {
        try await store.write { connection in
            let rows = try await connection.run(
                """
                DELETE FROM chat_compressions WHERE message = $2
                    AND session = (SELECT number FROM chat_sessions WHERE id = $1) RETURNING session
                """, [.text(pending.session), .integer(pending.message)])
            guard let number = rows.integer(0, 0) else { return }
            // The messages are all there, and a summary of the old ones.
            try await connection.run(
                """
                UPDATE chat_sessions SET compression_state = CASE WHEN summary_text IS NULL THEN 'full' ELSE 'hybrid' END
                WHERE number = $1
                """, [.integer(number)])
        }
    }

    package func fail(_ pending: PendingCompression, _ error: String, retryAt: Int64?) async throws {
        try await store.write { connection in
            let rows = try await connection.run(
                """
                UPDATE chat_compressions SET attempts = attempts + 1, due = $2::bigint, error = $3
                WHERE session = (SELECT number FROM chat_sessions WHERE id = $1) RETURNING session, state_before
                """, [.text(pending.session), PostgresValue(retryAt), .text(error)])
            guard let number = rows.integer(0, 0), retryAt == nil else { return }
            try await Self.mark(number, rows.text(0, 1) ?? "full", connection)
        }
    }

    /// Changes how a session's compression is shown; its time of change stays, so lists keep their order.
    private static func mark(_ session: Int64, _ state: String, _ connection: PostgresConnection) async throws {
        try await connection.run(
            "UPDATE chat_sessions SET compression_state = $2 WHERE number = $1", [.integer(session), .text(state)])
    }
}
