package import GatewayAPI
package import Storage

/// Chat sessions that all gateways on the database share, as ``SessionStore`` keeps them in a file.
///
/// As in a file with a column for it, a number of messages that a client gives is kept until the messages change.
package struct PostgresSessions: ConversationSessions {
    /// The server's clock, which all gateways share, in seconds since 1970.
    static let now = "floor(extract(epoch FROM clock_timestamp()))::bigint"

    let store: PostgresStore

    /// Too large values count as missing, so that they are never loaded; as from a file.
    static let columns = """
        s.id, s.title, s.created, s.updated, s.is_pinned, s.compression_state, s.compressed, s.message_count,
        CASE WHEN octet_length(s.messages_json) <= \(ValueLimit.text) THEN s.messages_json END AS messages_json,
        CASE WHEN octet_length(s.summary_text) <= \(ValueLimit.field) THEN s.summary_text END AS summary_text,
        (SELECT max(g.message_id) FROM gateway_summaries g WHERE g.session_id = s.id AND g.text = s.summary_text)
            AS compressed_through,
        (SELECT c.error FROM gateway_compressions c WHERE c.session_id = s.id) AS compression_error
        """

    static func session(_ rows: PostgresRows, _ row: Int) -> Session? {
        rows.text(row, 0).map { id in
            Session(
                id: id, title: rows.text(row, 1) ?? "", createdAt: rows.integer(row, 2).map(Timestamp.text),
                updatedAt: rows.integer(row, 3).map(Timestamp.text),
                messageCount: Int(clamping: rows.integer(row, 7) ?? 0), isPinned: rows.bool(row, 4) ?? false,
                compressionState: rows.text(row, 5), compressedAt: rows.integer(row, 6).map(Timestamp.text),
                messagesJSON: rows.text(row, 8), summaryText: rows.text(row, 9),
                compressedThrough: rows.integer(row, 10), compressionError: rows.text(row, 11))
        }
    }

    // MARK: Reading

    package func page(after cursor: PageCursor?, limit: Int) async throws -> Page<Session> {
        try cursor?.check(numbers: 1, hasID: true)
        // Sizes are known without reading the texts; those beyond the page are not read.
        let rows = try await store.rows(
            """
            SELECT id, title, created, updated, is_pinned, compression_state, compressed, message_count,
                CASE WHEN fits THEN messages_json END, CASE WHEN fits THEN summary_text END, compressed_through,
                compression_error, fits
            FROM (
                SELECT *, place <= $3 AND (place = 1 OR total <= \(PageLimits.maxBytes)) AS fits FROM (
                    SELECT *, row_number() OVER w AS place, sum(coalesce(octet_length(messages_json), 0)
                        + coalesce(octet_length(summary_text), 0) + 512) OVER w AS total
                    FROM (
                        SELECT \(Self.columns) FROM chat_sessions s WHERE (s.updated, s.id) < ($1, $2)
                        ORDER BY s.updated DESC, s.id DESC LIMIT $3 + 1
                    ) AS k WINDOW w AS (ORDER BY updated DESC, id DESC ROWS UNBOUNDED PRECEDING)
                ) AS t
            ) AS f ORDER BY place
            """,
            [.integer(cursor?.numbers[0] ?? .max), .text(cursor?.id ?? ""), .integer(Int64(limit))])
        return PostgresPage.page(rows, fits: 12, Self.session) { row in
            PageCursor(rows.integer(row, 3) ?? 0, id: rows.text(row, 0) ?? "")
        }
    }

    package func find(_ id: String) async throws -> Session? {
        let rows = try await store.rows("SELECT \(Self.columns) FROM chat_sessions s WHERE s.id = $1", [.text(id)])
        return Self.session(rows, 0)
    }

    // MARK: Writing

    package func save(_ id: String, _ change: SessionChange) async throws -> Session {
        guard let saved = try await write(id, change) else { throw SessionStore.lacksTitle }
        return saved
    }

    package func pin(_ id: String, _ isPinned: Bool) async throws -> Session? {
        var change = SessionChange()
        change.isPinned = isPinned
        return try await write(id, change)
    }

    package func delete(_ id: String) async throws -> Bool {
        // Waits for a message that another gateway is adding, and takes it along.
        try await store.write { try await $0.run("DELETE FROM chat_sessions WHERE id = $1", [.text(id)]).changed > 0 }
    }

    /// Creates or changes a session in one statement, so that of two gateways that create it the second changes it.
    ///
    /// - Returns: The session; nil for a new one without a title.
    private func write(_ id: String, _ change: SessionChange) async throws -> Session? {
        let rows = try await store.write { connection in
            try await connection.run(
                change.title == nil ? Self.update : Self.insert,
                [
                    .text(id), PostgresValue(change.title), Self.time(change.createdAt), Self.time(change.updatedAt),
                    change.isPinned.map { .bool($0) } ?? .null, PostgresValue(change.compressionState),
                    .bool(!change.compressedAt.isKeep), Self.time(change.compressedAt.value),
                    .bool(!change.messagesJSON.isKeep), PostgresValue(change.messagesJSON.value),
                    PostgresValue(change.messageCount.map { Int64($0) }),
                    .bool(!change.summaryText.isKeep), PostgresValue(change.summaryText.value),
                ])
        }
        return Self.session(rows, 0)
    }

    /// A time in the years that texts have.
    private static func time(_ seconds: Int64?) -> PostgresValue {
        PostgresValue(seconds.map { min(max($0, Timestamp.range.lowerBound), Timestamp.range.upperBound) })
    }

    private static let changes = """
        title = coalesce($2::text, s.title), created = coalesce($3::bigint, s.created),
            updated = coalesce($4::bigint, \(now)), is_pinned = coalesce($5::boolean, s.is_pinned),
            compression_state = coalesce($6::text, s.compression_state),
            compressed = CASE WHEN $7::boolean THEN $8::bigint ELSE s.compressed END,
            messages_json = CASE WHEN $9::boolean THEN coalesce($10::text, '[]') ELSE s.messages_json END,
            message_count = coalesce($11::bigint, json_array_length($10::text::json), s.message_count),
            summary_text = CASE WHEN $12::boolean THEN $13::text ELSE s.summary_text END
        """

    private static let update = """
        UPDATE chat_sessions s SET \(changes) WHERE s.id = $1::text RETURNING \(columns)
        """

    private static let insert = """
        INSERT INTO chat_sessions AS s (id, title, created, updated, is_pinned, compression_state, compressed,
            messages_json, message_count, summary_text)
        VALUES ($1::text, $2::text, coalesce($3::bigint, \(now)), coalesce($4::bigint, \(now)),
            coalesce($5::boolean, false), coalesce($6::text, 'full'), $8::bigint, coalesce($10::text, '[]'),
            coalesce($11::bigint, json_array_length($10::text::json), 0), $13::text)
        ON CONFLICT (id) DO UPDATE SET \(changes)
        RETURNING \(columns)
        """
}

/// Pages of lists in the database.
enum PostgresPage {
    /// Makes a page of up to `limit` + 1 rows.
    ///
    /// - Parameter fits: The column that says whether a row belongs to the page.
    static func page<Item>(
        _ rows: PostgresRows, fits: Int, _ item: (PostgresRows, Int) -> Item?, cursor: (Int) -> PageCursor
    ) -> Page<Item> {
        let count = rows.indices.prefix { rows.bool($0, fits) == true }.count
        let next = count > 0 && count < rows.count ? cursor(count - 1) : nil
        return Page(items: (0..<count).compactMap { item(rows, $0) }, next: next)
    }
}
