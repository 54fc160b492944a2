import GatewayAPI
import Storage

/// The answers of a chat session in a database, for a migration.
struct PostgresRunTable: TransferTable {
    private static let owner = "r.session = (SELECT number FROM chat_sessions WHERE id = $1) AND r.owner IS NULL"
    private static let columns = """
        r.number, r.id, r.key_id, r.state, r.question, r.request, r.model, r.text, r.record, r.error, r.stop_reason,
        r.life, r.user_message, r.message, r.created, r.updated
        """

    let transfer: PostgresTransfer
    let session: String

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<RunRecord> {
        try await records(
            """
            SELECT \(Self.columns) FROM chat_runs r JOIN (
                SELECT number, sum(size) OVER (ORDER BY number) - size AS before FROM (
                    SELECT r.number, (octet_length(r.text) + octet_length(r.record))::bigint AS size FROM chat_runs r
                    WHERE \(Self.owner) AND ($2::bigint IS NULL OR r.number > $2) AND r.number <= $3
                    ORDER BY r.number LIMIT \(PostgresConversations.mostRows)
                ) AS n
            ) AS p ON p.number = r.number
            WHERE p.before < \(PostgresConversations.mostBytes) AND r.owner IS NULL ORDER BY r.number
            """, [PostgresValue(key), .integer(last ?? .max)])
    }

    func rows(_ keys: [Int64]) async throws -> [RunRecord] {
        try await records(
            "SELECT \(Self.columns) FROM chat_runs r WHERE \(Self.owner) AND r.number = ANY ($2)", [.integers(keys)]
        ).rows
    }

    private func records(_ sql: String, _ values: [PostgresValue]) async throws -> TransferRows<RunRecord> {
        let found = try await transfer.store.rows(sql, [.text(session)] + values)
        let rows = found.indices.compactMap { row -> RunRecord? in
            guard let number = found.integer(row, 0), let id = found.text(row, 1),
                let state = found.text(row, 3).flatMap(ChatRun.State.init)
            else { return nil }
            func time(_ column: Int) -> String { found.integer(row, column).map(Timestamp.text) ?? "" }
            let run = StoredChatRun(
                id: id, session: session, question: found.text(row, 4) ?? "", model: found.text(row, 6) ?? "",
                request: found.text(row, 5) ?? "{}", key: found.integer(row, 2), state: state,
                text: found.text(row, 7) ?? "", record: ChatRecord(), error: found.text(row, 9),
                stopReason: found.text(row, 10), life: Int(clamping: found.integer(row, 11) ?? 0),
                userMessage: found.integer(row, 12), message: found.integer(row, 13), createdAt: time(14),
                updatedAt: time(15))
            return RunRecord(run, number: number, record: found.text(row, 8) ?? "{}")
        }
        return TransferRows(rows, last: found.integer(found.count - 1, 0))
    }

    func apply(_ rows: [RunRecord], removing: [Int64], _ state: TransferState) async throws {
        try await transfer.store.write { connection in
            try await transfer.check(state, connection)
            if !removing.isEmpty {
                try await connection.run(
                    "DELETE FROM chat_runs r WHERE \(Self.owner) AND r.number = ANY ($2)",
                    [.text(session), .integers(removing)])
            }
            for row in rows { try await connection.run(Self.upsert, values(row)) }
        }
    }

    /// A session that is gone by now takes no answers.
    private static let upsert = """
        INSERT INTO chat_runs (session, number, id, key_id, state, question, request, model, text, record, error,
            stop_reason, life, user_message, message, created, updated)
        SELECT s.number, $2::bigint, $3::text, $4::bigint, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text,
            $11::text, $12::text, $13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::bigint
        FROM chat_sessions s WHERE s.id = $1
        ON CONFLICT (number) DO UPDATE SET session = excluded.session, id = excluded.id, key_id = excluded.key_id,
            state = excluded.state, question = excluded.question, request = excluded.request, model = excluded.model,
            text = excluded.text, record = excluded.record, error = excluded.error,
            stop_reason = excluded.stop_reason, life = excluded.life, user_message = excluded.user_message,
            message = excluded.message, created = excluded.created, updated = excluded.updated
        """

    private func values(_ row: RunRecord) -> [PostgresValue] {
        [
            .text(session), .integer(row.key), .text(row.id), PostgresValue(row.keyID), .text(row.state),
            .text(row.question), .text(row.request), .text(row.model), .text(row.text), .text(row.record),
            PostgresValue(row.error), PostgresValue(row.stopReason), .integer(row.life), PostgresValue(row.userMessage),
            PostgresValue(row.message), .integer(row.created), .integer(row.updated),
        ]
    }
}

/// The summaries of a chat session in a database, for a migration.
struct PostgresSummaryTable: TransferTable {
    private static let owner = "g.session = (SELECT number FROM chat_sessions WHERE id = $1)"

    let transfer: PostgresTransfer
    let session: String

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<SummaryRecord> {
        try await records(
            """
            SELECT g.message, g.text, g.notes, g.model, g.created FROM chat_summaries g
            WHERE \(Self.owner) AND ($2::bigint IS NULL OR g.message > $2) AND g.message <= $3
            ORDER BY g.message LIMIT \(PostgresConversations.mostRows)
            """, [PostgresValue(key), .integer(last ?? .max)])
    }

    func rows(_ keys: [Int64]) async throws -> [SummaryRecord] {
        try await records(
            """
            SELECT g.message, g.text, g.notes, g.model, g.created FROM chat_summaries g
            WHERE \(Self.owner) AND g.message = ANY ($2)
            """, [.integers(keys)]
        ).rows
    }

    private func records(_ sql: String, _ values: [PostgresValue]) async throws -> TransferRows<SummaryRecord> {
        let found = try await transfer.store.rows(sql, [.text(session)] + values)
        let rows = found.indices.compactMap { row -> SummaryRecord? in
            guard let message = found.integer(row, 0) else { return nil }
            let summary = ChatSummary(
                message: message, text: found.text(row, 1) ?? "", notes: found.integers(row, 2) ?? [],
                model: found.text(row, 3) ?? "")
            return SummaryRecord(summary, created: found.integer(row, 4) ?? 0)
        }
        return TransferRows(rows, last: rows.last?.key)
    }

    func apply(_ rows: [SummaryRecord], removing: [Int64], _ state: TransferState) async throws {
        try await transfer.store.write { connection in
            try await transfer.check(state, connection)
            if !removing.isEmpty {
                try await connection.run(
                    "DELETE FROM chat_summaries g WHERE \(Self.owner) AND g.message = ANY ($2)",
                    [.text(session), .integers(removing)])
            }
            for row in rows {
                try await connection.run(
                    """
                    INSERT INTO chat_summaries (session, message, text, notes, model, created)
                    SELECT s.number, $2::bigint, $3::text, $4::bigint[], $5::text, $6::bigint FROM chat_sessions s
                    WHERE s.id = $1
                    ON CONFLICT (session, message) DO UPDATE SET text = excluded.text, notes = excluded.notes,
                        model = excluded.model, created = excluded.created
                    """,
                    [
                        .text(session), .integer(row.key), .text(row.text), .integers(row.notes), .text(row.model),
                        .integer(row.created),
                    ])
            }
        }
    }
}
