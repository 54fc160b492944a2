package import ChatRoom
package import Database
import GatewayAPI

extension PostgresStore: ChatStore {
    package func conversations(in session: any SQLSession) -> any ConversationTables {
        PostgresConversationTables(session: session)
    }
}

/// The sessions and messages that all gateways on a database share.
private struct PostgresConversationTables: ConversationTables {
    /// The most messages that are read at once.
    private static let batch = 500
    private static let owner = "(SELECT number FROM chat_sessions WHERE id = $1)"

    let session: any SQLSession

    // MARK: Sessions

    func lock(_ name: String) throws -> Bool {
        try session.first("SELECT 1 FROM chat_sessions WHERE id = $1 FOR NO KEY UPDATE", [.text(name)]) != nil
    }

    /// A client may create the session at the same time.
    func create(_ name: String, title: String) throws {
        try session.run(
            """
            INSERT INTO chat_sessions (id, title, created, updated, is_pinned, compression_state, messages_json,
                message_count)
            VALUES ($1, $2, \(PostgresSessions.now), \(PostgresSessions.now), false, 'full', '[]', 0)
            ON CONFLICT (id) DO UPDATE SET updated = excluded.updated
            """, [.text(name), .text(title)])
    }

    func touch(_ name: String) throws {
        try session.run(
            """
            UPDATE chat_sessions s SET updated = \(PostgresSessions.now),
                message_count = (SELECT count(*) FROM chat_messages m WHERE m.session = s.number) WHERE s.id = $1
            """, [.text(name)])
    }

    func compression(of name: String) throws -> (state: String?, hasSummary: Bool) {
        let row = try session.first(
            "SELECT compression_state, summary_text IS NOT NULL FROM chat_sessions WHERE id = $1", [.text(name)])
        return (row?.text(0), row?.bool(1) ?? false)
    }

    func show(state: String, of name: String) throws {
        try session.run("UPDATE chat_sessions SET compression_state = $2 WHERE id = $1", [.text(name), .text(state)])
    }

    func show(summary: String, of name: String) throws {
        try session.run(
            "UPDATE chat_sessions SET summary_text = $2, compressed = \(PostgresSessions.now) WHERE id = $1",
            [.text(name), .text(summary)])
    }

    func foreignSummary(of name: String) throws -> String? {
        try session.first(
            """
            SELECT \(session.dialect.bounded("s.summary_text")) FROM chat_sessions s WHERE s.id = $1 AND NOT EXISTS (
                SELECT 1 FROM gateway_summaries g WHERE g.session_id = s.id AND g.text = s.summary_text)
            """, [.text(name)])?.text(0)
    }

    // MARK: Messages

    func contains(_ message: Int64, of name: String) throws -> Bool {
        try session.first(
            "SELECT 1 FROM chat_messages WHERE session = \(Self.owner) AND id = $2", [.text(name), .integer(message)]
        ) != nil
    }

    func message(_ id: Int64) throws -> Message? {
        try session.first(
            """
            SELECT m.id, s.id, m.role, \(session.dialect.bounded("m.content", ValueLimit.text)), m.created, m.parent, m.run
            FROM chat_messages m JOIN chat_sessions s ON s.number = m.session WHERE m.id = $1
            """, [.integer(id)]
        ).map { row in
            Message(
                id: id, sessionID: row.text(1) ?? "", role: row.text(2) ?? "", content: row.text(3) ?? "",
                createdAt: row.integer(4).map(Timestamp.text), parent: row.integer(5), run: row.text(6))
        }
    }

    func lastMessage(of name: String) throws -> Int64? {
        try session.first(
            "SELECT id FROM chat_messages WHERE session = \(Self.owner) ORDER BY created DESC, id DESC LIMIT 1",
            [.text(name)])?.integer(0)
    }

    func add(_ role: String, _ content: String, to name: String, after parent: Int64?, run: String?) throws -> Int64 {
        let row = try session.first(
            """
            INSERT INTO chat_messages (session, role, content, created, is_linked, parent, run)
            SELECT number, $2, $3, \(PostgresSessions.now), true, $4, $5 FROM chat_sessions WHERE id = $1 RETURNING id
            """, [.text(name), .text(role), .text(content), .integer(parent), .text(run)])
        try touch(name)
        guard let id = row?.integer(0) else { throw PostgresError(.failed, "a message has no number") }
        return id
    }

    func eachMessage(_ body: (Message) throws -> Bool) throws {
        var (created, last) = (Int64.max, Int64.max)
        while true {
            // Like a page: a batch ends where its texts would be too large.
            let rows = try session.rows(
                """
                SELECT id, name, role, content, created FROM (
                    SELECT *, row_number() OVER w AS place,
                        sum(coalesce(octet_length(content), 0) + 256) OVER w AS total
                    FROM (
                        SELECT m.id, s.id AS name, m.role, m.created,
                            \(session.dialect.bounded("m.content", ValueLimit.text)) AS content
                        FROM chat_messages m JOIN chat_sessions s ON s.number = m.session
                        WHERE m.session > 0 AND (m.created, m.id) < ($1, $2)
                        ORDER BY m.created DESC, m.id DESC LIMIT \(Self.batch)
                    ) AS k WINDOW w AS (ORDER BY created DESC, id DESC ROWS UNBOUNDED PRECEDING)
                ) AS t WHERE place = 1 OR total <= \(PageLimits.maxBytes) ORDER BY place
                """, [.integer(created), .integer(last)])
            guard !rows.isEmpty else { return }
            for row in rows {
                guard let id = row.integer(0), let time = row.integer(4) else { return }
                (created, last) = (time, id)
                let message = Message(
                    id: id, sessionID: row.text(1) ?? "", role: row.text(2) ?? "", content: row.text(3) ?? "",
                    createdAt: Timestamp.text(time))
                guard try body(message) else { return }
            }
        }
    }

    func eachArchive(_ body: (_ session: String, _ json: String, _ changedAt: String?) throws -> Bool) throws {
        var (changed, last) = (Int64.max, "")
        while true {
            let rows = try session.rows(
                """
                SELECT id, messages_json, updated FROM (
                    SELECT *, row_number() OVER w AS place,
                        sum(coalesce(octet_length(messages_json), 0) + 256) OVER w AS total
                    FROM (
                        SELECT s.id, s.updated,
                            \(session.dialect.bounded("s.messages_json", ValueLimit.text)) AS messages_json
                        FROM chat_sessions s WHERE s.messages_json <> '[]' AND (s.updated, s.id) < ($1, $2)
                        ORDER BY s.updated DESC, s.id DESC LIMIT \(Self.batch)
                    ) AS k WINDOW w AS (ORDER BY updated DESC, id DESC ROWS UNBOUNDED PRECEDING)
                ) AS t WHERE place = 1 OR total <= \(PageLimits.maxBytes) ORDER BY place
                """, [.integer(changed), .text(last)])
            guard !rows.isEmpty else { return }
            for row in rows {
                guard let id = row.text(0), let time = row.integer(2) else { return }
                (changed, last) = (time, id)
                guard try row.text(1).map({ try body(id, $0, Timestamp.text(time)) }) ?? true else { return }
            }
        }
    }

    func titles(limit: Int) throws -> [(id: String, title: String)] {
        try session.rows(
            """
            SELECT s.id, \(session.dialect.bounded("s.title")) FROM chat_sessions s
            ORDER BY s.updated DESC, s.id DESC LIMIT $1
            """, [.count(limit)]
        ).map { (id: $0.text(0) ?? "", title: $0.text(1) ?? "") }
    }

    func change(_ message: Int64, of name: String, to content: String) throws -> Bool {
        try session.run(
            "UPDATE chat_messages SET content = $3 WHERE session = \(Self.owner) AND id = $2",
            [.text(name), .integer(message), .text(content)]) > 0
    }

    func history(through message: Int64, of name: String) throws -> [Message] {
        let columns = "m.id, m.role, m.content, m.created, m.is_linked, m.parent, m.run"
        return try session.rows(
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
            SELECT id, role, \(session.dialect.bounded("content", ValueLimit.text)), created, parent, run
            FROM chain ORDER BY place DESC
            """, [.text(name), .integer(message), .count(AnswerRoom.maxHistory), .count(ValueLimit.batch)]
        ).compactMap { row in
            row.integer(0).map { id in
                Message(
                    id: id, sessionID: name, role: row.text(1) ?? "", content: row.text(2) ?? "",
                    createdAt: row.integer(3).map(Timestamp.text), parent: row.integer(4), run: row.text(5))
            }
        }
    }
}
