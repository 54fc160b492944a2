package import GatewayAPI
package import Storage

/// Messages of chat sessions that all gateways on the database share, as ``MessageStore`` keeps them in a file.
package struct PostgresMessages: ConversationMessages {
    let store: PostgresStore

    // MARK: Reading

    package func page(of session: String, after cursor: PageCursor?, limit: Int) async throws -> Page<Message>? {
        try cursor?.check(numbers: 2)
        let start = cursor?.numbers ?? [.min, .min]
        return try await page(
            of: session, isFirst: cursor == nil, "AND (m.created, m.id) > ($3, $4)", start, order: "created, id", limit
        ) { id, time in PageCursor(time, id) }
    }

    package func newestPage(of session: String, after cursor: PageCursor?, limit: Int) async throws -> Page<Message>? {
        try cursor?.check(numbers: 1)
        let start = cursor?.numbers ?? [.max]
        return try await page(
            of: session, isFirst: cursor == nil, "AND m.id < $3", start, order: "id DESC", limit
        ) { id, _ in PageCursor(id) }
    }

    package func recent(after cursor: PageCursor?, limit: Int) async throws -> Page<Message> {
        try cursor?.check(numbers: 2)
        let values = [PostgresValue.integer(Int64(limit))] + (cursor?.numbers ?? [.max, .max]).map { .integer($0) }
        return try await page(
            "m.session > 0 AND (m.created, m.id) < ($2, $3)", values, order: "created DESC, id DESC"
        ) { id, time in PageCursor(time, id) }
    }

    /// Reads a page of a session; nil for a first page of a session that does not exist.
    ///
    /// - Parameter condition: SQL over `m`, with the numbers of `start` as `$3` and following.
    private func page(
        of session: String, isFirst: Bool, _ condition: String, _ start: [Int64], order: String, _ limit: Int,
        cursor: (Int64, Int64) -> PageCursor
    ) async throws -> Page<Message>? {
        let found = try await page(
            "m.session = (SELECT number FROM chat_sessions WHERE id = $2) \(condition)",
            [.integer(Int64(limit)), .text(session)] + start.map { .integer($0) }, order: order, cursor: cursor)
        guard found.items.isEmpty, isFirst else { return found }
        let known = try await store.rows("SELECT 1 FROM chat_sessions WHERE id = $1", [.text(session)])
        return known.count > 0 ? found : nil
    }

    /// Reads a page in one statement. Sizes are known without reading the texts; those beyond the page are not read.
    ///
    /// - Parameters:
    ///   - condition: SQL over `m`.
    ///   - values: The limit, then what the condition names.
    ///   - cursor: Makes a cursor of an id and a time.
    private func page(
        _ condition: String, _ values: [PostgresValue], order: String, cursor: (Int64, Int64) -> PageCursor
    ) async throws -> Page<Message> {
        let rows = try await store.rows(
            """
            SELECT f.id, s.id, f.role, CASE WHEN f.fits THEN f.content END, f.created, f.fits, f.parent, f.run
            FROM (
                SELECT *, place <= $1 AND (place = 1 OR total <= \(PageLimits.maxBytes)) AS fits FROM (
                    SELECT *, row_number() OVER w AS place,
                        sum(coalesce(octet_length(content), 0) + 256) OVER w AS total
                    FROM (
                        SELECT m.id, m.session, m.role, m.created, m.parent, m.run,
                            CASE WHEN octet_length(m.content) <= \(ValueLimit.text) THEN m.content END AS content
                        FROM chat_messages m WHERE \(condition) ORDER BY \(order) LIMIT $1 + 1
                    ) AS k WINDOW w AS (ORDER BY \(order) ROWS UNBOUNDED PRECEDING)
                ) AS t
            ) AS f JOIN chat_sessions s ON s.number = f.session ORDER BY f.place
            """, values)
        return PostgresPage.page(rows, fits: 5, Self.message) { row in
            cursor(rows.integer(row, 0) ?? 0, rows.integer(row, 4) ?? 0)
        }
    }

    package func find(_ id: Int64) async throws -> Message? {
        let rows = try await store.rows(
            """
            SELECT m.id, s.id, m.role, CASE WHEN octet_length(m.content) <= \(ValueLimit.text) THEN m.content END,
                m.created, true, m.parent, m.run
            FROM chat_messages m JOIN chat_sessions s ON s.number = m.session WHERE m.id = $1
            """, [.integer(id)])
        return Self.message(rows, 0)
    }

    private static func message(_ rows: PostgresRows, _ row: Int) -> Message? {
        rows.integer(row, 0).map { id in
            Message(
                id: id, sessionID: rows.text(row, 1) ?? "", role: rows.text(row, 2) ?? "",
                content: rows.text(row, 3) ?? "", createdAt: rows.integer(row, 4).map(Timestamp.text),
                parent: rows.integer(row, 6), run: rows.text(row, 7))
        }
    }

    // MARK: Writing

    /// Adds a message.
    ///
    /// Locks the session's row first. So the messages of a session are committed in the order of their ids, whichever gateway
    /// adds them, and a reader that follows the session with a cursor misses none.
    package func add(to session: String, role: String, content: String) async throws -> Message? {
        let rows = try await store.write { connection in
            try await connection.run(
                """
                WITH s AS MATERIALIZED (SELECT number FROM chat_sessions WHERE id = $1 FOR NO KEY UPDATE)
                INSERT INTO chat_messages (session, role, content, created)
                SELECT number, $2::text, $3::text, \(PostgresSessions.now) FROM s RETURNING id, created
                """, [.text(session), .text(role), .text(content)])
        }
        return rows.integer(0, 0).map { id in
            Message(
                id: id, sessionID: session, role: role, content: content,
                createdAt: rows.integer(0, 1).map(Timestamp.text))
        }
    }
}
