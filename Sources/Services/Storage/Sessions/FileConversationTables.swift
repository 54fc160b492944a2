package import ChatRoom
package import Database
import GRDB
import GatewayAPI

extension GatewayDatabase: ChatStore {
    package func conversations(in session: any SQLSession) throws -> any ConversationTables {
        guard let session = session as? SQLiteSession else {
            throw StorageError(.failed, "the session belongs to another store")
        }
        return FileConversationTables(database: session.database, layout: try layouts.current(session.database))
    }
}

/// The sessions and messages of a file, in tables of another program, and how the messages follow each other, in one of ours.
private struct FileConversationTables: ConversationTables {
    let database: Database
    let layout: FileLayout

    private var messages: MessageRows { MessageRows(table: layout.schema.messages) }
    private var sessions: SessionRows { SessionRows(table: layout.schema.sessions) }

    // MARK: Sessions

    /// A file has one writer anyway.
    func lock(_ session: String) throws -> Bool { try SessionRows.contain(session, in: database) }

    func create(_ session: String, title: String) throws {
        var change = SessionChange()
        change.title = title
        try sessions.write(database, session, change, isNew: true)
    }

    func touch(_ session: String) throws {
        var change = SessionChange()
        if sessions.table.names.contains("message_count") {
            change.messageCount = try database.compiledRow(
                "SELECT count(*) FROM conversations WHERE session_id = ?", [session])?.count(0)
        }
        try sessions.write(database, session, change, isNew: false)
    }

    func compression(of session: String) throws -> (state: String?, hasSummary: Bool) {
        let found = try sessions.find(database, session)
        return (found?.compressionState, found?.summaryText != nil)
    }

    func show(state: String, of session: String) throws { try set([("compression_state", state)], session) }

    func show(summary: String, of session: String) throws {
        let style = try DateStyle.of(sessions.table, "updated_at", in: database)
        try set([("summary_text", summary), ("compressed_at", style.now)], session)
    }

    private func set(_ values: [(column: String, value: String)], _ session: String) throws {
        let known = values.filter { sessions.table.names.contains($0.column) }
        guard !known.isEmpty else { return }
        try database.execute(
            sql: "UPDATE chat_sessions SET \(known.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE id = ?",
            arguments: StatementArguments(known.map(\.value)) + [session])
    }

    func foreignSummary(of session: String) throws -> String? { try sessions.foreignSummary(database, session) }

    // MARK: Messages

    func contains(_ message: Int64, of session: String) throws -> Bool {
        try messages.find(database, message)?.sessionID == session
    }

    func message(_ id: Int64) throws -> Message? { try messages.find(database, id) }

    func lastMessage(of session: String) throws -> Int64? {
        try messages.keys(database, "m.session_id = ? ORDER BY time DESC, m.id DESC LIMIT 1", [session]).first?.key
    }

    func add(
        _ role: String, _ content: String, to session: String, after parent: Int64?, run: String?
    ) throws -> Int64 {
        let message = try messages.insert(database, session, role: role, content)
        try database.executeCompiled(
            """
            INSERT OR REPLACE INTO gateway_message_links (message_id, session_id, parent_id, run_id)
            VALUES (?, ?, ?, ?)
            """, [message.id, session, parent, run])
        return message.id
    }

    func eachMessage(_ body: (Message) throws -> Bool) throws { try messages.each(database, body) }

    func eachArchive(_ body: (_ session: String, _ json: String, _ changedAt: String?) throws -> Bool) throws {
        try sessions.eachArchive(database, body)
    }

    func titles(limit: Int) throws -> [(id: String, title: String)] {
        guard sessions.table.names.contains("id") else { return [] }
        return try Row.fetchAll(
            database,
            sql: """
                SELECT s.id, \(sessions.table.bounded("s", "title")) FROM chat_sessions s
                WHERE typeof(s.id) = 'text' AND length(s.id) BETWEEN 1 AND 1000
                ORDER BY \(SQLTime.seconds(sessions.table.value("s", "updated_at"))) DESC, s.id DESC LIMIT ?
                """, arguments: [limit]
        ).map { (id: $0.text(0) ?? "", title: $0.text(1) ?? "") }
    }

    func change(_ message: Int64, of session: String, to content: String) throws -> Bool {
        try database.execute(
            sql: "UPDATE conversations SET content = ? WHERE id = ? AND session_id = ?",
            arguments: [content, message, session])
        return database.changesCount > 0
    }

    func history(through message: Int64, of session: String) throws -> [Message] {
        var (chain, seen) = ([Message](), Set<Int64>())
        var next: Int64? = message
        var bytes = 0
        while let id = next, chain.count < AnswerRoom.maxHistory, bytes < ValueLimit.batch, seen.insert(id).inserted {
            guard let found = try messages.find(database, id), found.sessionID == session else { break }
            chain.append(found)
            bytes += found.content.utf8.count
            next = found.parent
            if next == nil, try !MessageRows.isLinked(database, id) {
                // Another program wrote the message; it follows the one before it.
                next = try messages.keys(
                    database, "m.session_id = ? AND m.id < ? ORDER BY m.id DESC LIMIT 1", [session, id]
                ).first?.key
            }
        }
        return chain.reversed()
    }
}
