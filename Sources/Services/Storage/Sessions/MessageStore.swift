import GRDB
package import GatewayAPI

/// Reads and adds messages of chat sessions.
package struct MessageStore: Sendable {
    let database: GatewayDatabase

    /// Returns a page of a session's messages, oldest first.
    ///
    /// - Returns: The page; nil when the session does not exist and has no messages.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        of session: String, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<Message>? {
        try cursor?.check(numbers: 2)
        return try await database.read { database, layout in
            let rows = MessageRows(table: layout.schema.messages)
            let after = cursor == nil ? "" : "AND (time, m.id) > (?, ?)"
            var arguments: StatementArguments = [session]
            if let cursor { arguments += [cursor.numbers[0], cursor.numbers[1]] }
            let found = try rows.keys(
                database, "m.session_id = ? \(after) ORDER BY time, m.id LIMIT ?", arguments + [limit + 1])
            if found.isEmpty, try !SessionRows.contain(session, in: database) {
                // With a cursor, messages without a session give an empty page, not a missing session.
                guard cursor != nil else { return nil }
            }
            return try rows.page(database, found, limit)
        }
    }

    /// Returns a page of a session's messages, the one stored last first. Reads as many rows as the page has, however
    /// many messages there are.
    ///
    /// - Parameter cursor: The cursor of this list, or ``PageCursor/init(before:)``.
    /// - Returns: The page; nil when the session does not exist and has no messages.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func newestPage(
        of session: String, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<Message>? {
        try cursor?.check(numbers: 1)
        let before = cursor?.numbers[0]
        while true {
            let (page, version) = try await database.read { database, layout in
                let rows = MessageRows(table: layout.schema.messages)
                let ids = try SessionMessageIndex.newest(
                    database, layout.schema, session, before: before, limit: limit + 1)
                let isMissing = try ids.isEmpty && before == nil && !SessionRows.contain(session, in: database)
                return (isMissing ? nil : try rows.page(database, ids, of: session, limit), layout.version)
            }
            // A schema change may have dropped our triggers; the index then lacks messages.
            guard try await database.keepTriggers(schemaVersion: version) else { return page }
        }
    }

    /// Returns a page of the messages of all sessions, newest first.
    ///
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func recent(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<Message> {
        try cursor?.check(numbers: 2)
        return try await database.read { database, layout in
            let rows = MessageRows(table: layout.schema.messages)
            let condition = cursor == nil ? "1" : "(time, m.id) < (?, ?)"
            let arguments: StatementArguments = cursor.map { [$0.numbers[0], $0.numbers[1]] } ?? []
            let found = try rows.keys(
                database, "\(condition) ORDER BY time DESC, m.id DESC LIMIT ?", arguments + [limit + 1])
            return try rows.page(database, found, limit)
        }
    }

    /// Returns a message; nil when there is none.
    package func find(_ id: Int64) async throws -> Message? {
        try await database.read { database, layout in
            try MessageRows(table: layout.schema.messages).find(database, id)
        }
    }

    /// Adds a message to a session.
    ///
    /// - Returns: The new message; nil when the session does not exist.
    /// - Throws: ``StorageError``.
    package func add(to session: String, role: String, content: String) async throws -> Message? {
        try await database.write { database, layout in
            let table = layout.schema.messages
            guard try SessionRows.contain(session, in: database) else { return nil }
            return try MessageRows(table: table).insert(database, session, role: role, content)
        }
    }
}

/// Reads messages with the columns that the file has.
struct MessageRows {
    let table: TableColumns

    func insert(_ database: Database, _ session: String, role: String, _ content: String) throws -> Message {
        let now = try DateStyle.of(table, "created_at", in: database).now
        try database.executeCompiled(
            "INSERT INTO conversations (session_id, role, content, created_at) VALUES (?, ?, ?, ?)",
            [session, role, content, now])
        return Message(id: database.lastInsertedRowID, sessionID: session, role: role, content: content, createdAt: now)
    }

    /// - Parameter condition: SQL after WHERE, over `m` and `time`.
    func keys(
        _ database: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [(key: Int64, cursor: PageCursor)] {
        guard table.names.isSuperset(of: ["id", "session_id"]) else { return [] }
        return try Row.fetchAll(
            database,
            sql: """
                SELECT m.id, \(SQLTime.seconds(table.value("m", "created_at"))) AS time
                FROM conversations m WHERE typeof(m.id) = 'integer' AND \(condition)
                """, arguments: arguments
        ).compactMap { row in
            row.integer(0).map { (key: $0, cursor: PageCursor(row.integer(1) ?? 0, $0)) }
        }
    }

    func page(
        _ database: Database, _ keys: [(key: Int64, cursor: PageCursor)], _ limit: Int,
        where isWanted: (Message) -> Bool = { _ in true }
    ) throws -> Page<Message> {
        try Page(keys, limit: limit, bytes: { $0.content.utf8.count + 256 }) { id in
            try find(database, id).flatMap { isWanted($0) ? $0 : nil }
        }
    }

    /// A page of messages by their ids. Leaves out those that are gone or belong to another session.
    func page(_ database: Database, _ ids: [Int64], of session: String, _ limit: Int) throws -> Page<Message> {
        try page(database, ids.map { (key: $0, cursor: PageCursor($0)) }, limit) { $0.sessionID == session }
    }

    /// Passes the messages with a number, the one stored last first, until the body returns false.
    func each(_ database: Database, _ body: (Message) throws -> Bool) throws {
        guard table.names.isSuperset(of: ["id", "session_id"]) else { return }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT m.id, \(table.bounded("m", "session_id")), \(table.bounded("m", "role")),
                    \(table.bounded("m", "content", limit: ValueLimit.text)), \(table.bounded("m", "created_at")) AS created_at
                FROM conversations m WHERE \(table.hasNumber("m")) ORDER BY m.id DESC
                """)
        while let row = try rows.next() {
            guard let id = row.integer(0) else { continue }
            let message = Message(
                id: id, sessionID: row.text(1) ?? "", role: row.text(2) ?? "", content: row.text(3) ?? "",
                createdAt: row.date("created_at"))
            guard try body(message) else { return }
        }
    }

    /// Whether a message of ours follows another, or none; one of another program follows the message before it.
    static func isLinked(_ database: Database, _ message: Int64) throws -> Bool {
        try database.compiledRow("SELECT 1 FROM gateway_message_links WHERE message_id = ?", [message]) != nil
    }

    func find(_ database: Database, _ id: Int64) throws -> Message? {
        try database.compiledRow(
            """
            SELECT l.parent_id AS parent_id, l.run_id AS run_id, \(table.bounded("m", "session_id")) AS session_id, \(table.bounded("m", "role")) AS role,
                \(table.bounded("m", "content", limit: ValueLimit.text)) AS content,
                \(table.bounded("m", "created_at")) AS created_at
            FROM conversations m
            LEFT JOIN gateway_message_links l ON l.message_id = m.id AND l.session_id = m.session_id
            WHERE m.id = ?
            """, [id]
        ).map { row in
            Message(
                id: id, sessionID: row.text("session_id") ?? "", role: row.text("role") ?? "",
                content: row.text("content") ?? "", createdAt: row.date("created_at"),
                parent: row.integer("parent_id"), run: row.text("run_id"))
        }
    }
}
