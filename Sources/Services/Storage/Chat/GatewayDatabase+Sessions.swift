import Foundation
import GRDB

/// A chat session as the database holds it.
public struct StoredSession: Sendable, Hashable {
    /// The client's name for it.
    public var id: String
    /// One line.
    public var title: String
    /// As it stands in the database.
    public var createdAt: String?
    /// As it stands in the database.
    public var updatedAt: String?
    /// How many messages it has.
    public var messageCount: Int
    /// Whether it stays on top of lists.
    public var isPinned: Bool
    /// How its messages are kept.
    public var compressionState: String?
    /// When it was compressed.
    public var compressedAt: String?
    /// Its messages, JSON text.
    public var messagesJSON: String?
    /// What was said.
    public var summaryText: String?
}

/// What a session becomes; nil and ``ValueChange/keep`` leave what is there.
public struct SessionChange: Sendable, Hashable {
    /// A new title; a new session needs it.
    public var title: String?
    /// When it began, in seconds since 1970; a new session began now when nil.
    public var createdAt: Int64?
    /// When it last changed, in seconds since 1970; now when nil.
    public var updatedAt: Int64?
    /// How many messages it has; counted in the text when nil.
    public var messageCount: Int?
    /// Whether it stays on top of lists.
    public var isPinned: Bool?
    /// How its messages are kept.
    public var compressionState: String?
    /// When it was compressed, in seconds since 1970.
    public var compressedAt: ValueChange<Int64> = .keep
    /// Its messages, the text of a JSON array.
    public var messagesJSON: ValueChange<String> = .keep
    /// What was said.
    public var summaryText: ValueChange<String> = .keep

    /// Creates a change of nothing.
    public init() {}
}

extension GatewayDatabase {
    /// A page of the sessions, the latest first.
    ///
    /// - Throws: ``StorageError``, also when the cursor is another list's.
    public func sessionPage(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<StoredSession> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await read { database, layout in
            let rows = SessionRows(table: layout.schema.sessions)
            let keys = try rows.keys(database, after: cursor, limit: limit + 1)
            let bytes = { (session: StoredSession) in
                (session.messagesJSON?.utf8.count ?? 0) + (session.summaryText?.utf8.count ?? 0) + 512
            }
            return try Page(keys, limit: limit, bytes: bytes) { try rows.find(database, $0) }
        }
    }

    /// A session; nil when there is none of that id.
    public func session(_ id: String) async throws -> StoredSession? {
        try await read { database, layout in try SessionRows(table: layout.schema.sessions).find(database, id) }
    }

    /// Makes or changes a session, in one transaction: nothing that another process writes meanwhile is lost.
    ///
    /// - Throws: ``StorageError``: `invalid` when a new session has no title.
    public func saveSession(_ id: String, _ change: SessionChange) async throws -> StoredSession {
        try await write { database, layout in
            try SessionRows(table: layout.schema.sessions).save(database, id, change)
        }
    }

    /// Pins a session, or takes the pin away.
    ///
    /// - Returns: nil when there is no such session.
    /// - Throws: ``StorageError``.
    public func pinSession(_ id: String, _ isPinned: Bool) async throws -> StoredSession? {
        try await write { database, layout in
            let rows = SessionRows(table: layout.schema.sessions)
            guard try rows.find(database, id) != nil else { return nil }
            var change = SessionChange()
            change.isPinned = isPinned
            return try rows.save(database, id, change)
        }
    }

    /// Deletes a session and its messages.
    ///
    /// - Returns: false when there is no such session.
    /// - Throws: ``StorageError``.
    public func deleteSession(_ id: String) async throws -> Bool {
        try await write { database, layout in
            let messages = layout.schema.messages
            try database.execute(sql: "DELETE FROM chat_sessions WHERE id = ?", arguments: [id])
            guard database.changesCount > 0 else { return false }
            if messages.names.contains("session_id") {
                try database.execute(sql: "DELETE FROM conversations WHERE session_id = ?", arguments: [id])
            }
            return true
        }
    }
}

/// Reads and writes sessions in whatever columns the file has.
private struct SessionRows {
    let table: TableColumns

    private var messages: String? { table.name("messages_json", "full_messages_json") }

    /// The ids of a page, the latest first.
    func keys(
        _ database: Database, after cursor: PageCursor?, limit: Int
    ) throws -> [(key: String, cursor: PageCursor)] {
        guard table.names.contains("id") else { return [] }
        let condition = cursor == nil ? "1" : "(time, s.id) < (?, ?)"
        let arguments: StatementArguments = cursor.map { [$0.numbers[0], $0.id] } ?? []
        return try Row.fetchAll(
            database,
            sql: """
                SELECT s.id, \(SQLTime.seconds(table.value("s", "updated_at"))) AS time FROM chat_sessions s
                WHERE typeof(s.id) = 'text' AND length(s.id) BETWEEN 1 AND 1000 AND \(condition) ORDER BY time DESC, s.id DESC LIMIT ?
                """, arguments: arguments + [limit]
        ).map { row in
            let id = row.text(0) ?? ""
            return (key: id, cursor: PageCursor(row.integer(1) ?? 0, id: id))
        }
    }

    /// A session; nil when there is none of that id.
    func find(_ database: Database, _ id: String) throws -> StoredSession? {
        guard table.names.contains("id") else { return nil }
        let text = messages.map { "s.\($0)" } ?? "NULL"
        let counted = "CASE WHEN typeof(\(text)) = 'text' AND json_valid(\(text)) THEN json_array_length(\(text)) END"
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT s.id AS id, \(table.bounded("s", "title")) AS title,
                    \(ValueLimit.bounded(text, ValueLimit.text)) AS messages,
                    coalesce(\(table.bounded("s", "message_count")), \(counted), 0) AS message_count,
                    \(table.bounded("s", "is_pinned")) AS is_pinned,
                    \(table.bounded("s", "compression_state")) AS compression_state,
                    \(table.bounded("s", "compressed_at")) AS compressed_at,
                    \(table.bounded("s", "summary_text")) AS summary_text,
                    \(table.bounded("s", "created_at")) AS created_at,
                    \(table.bounded("s", "updated_at")) AS updated_at
                FROM chat_sessions s WHERE s.id = ? LIMIT 1
                """, arguments: [id])
        return row.map { row in
            StoredSession(
                id: row.text("id") ?? "", title: row.text("title") ?? "", createdAt: row.date("created_at"),
                updatedAt: row.date("updated_at"), messageCount: Int(clamping: row.integer("message_count") ?? 0),
                isPinned: row.integer("is_pinned") ?? 0 != 0, compressionState: row.text("compression_state"),
                compressedAt: row.date("compressed_at"), messagesJSON: row.text("messages"),
                summaryText: row.text("summary_text"))
        }
    }

    func save(_ database: Database, _ id: String, _ change: SessionChange) throws -> StoredSession {
        let known = try find(database, id)
        let style = try DateStyle.of(table, "updated_at", in: database)
        let now = Int64(Date.now.timeIntervalSince1970)
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = []
        if let title = change.title { values.append(("title", title)) }
        if let created = change.createdAt ?? (known == nil ? now : nil) {
            values.append(("created_at", style.text(created)))
        }
        values.append(("updated_at", style.text(change.updatedAt ?? now)))
        if let pinned = change.isPinned ?? (known == nil ? false : nil) { values.append(("is_pinned", pinned ? 1 : 0)) }
        if let state = change.compressionState ?? (known == nil ? "full" : nil) {
            values.append(("compression_state", state))
        }
        if case .set(let time) = change.compressedAt { values.append(("compressed_at", time.map(style.text))) }
        if case .set(let text) = change.summaryText { values.append(("summary_text", text)) }
        if let count = try messageCount(database, change, known) { values.append(("message_count", count)) }
        if let column = messages {
            switch change.messagesJSON {
            case .set(let text): values.append((column, text ?? (table.required.contains(column) ? "[]" : nil)))
            case .keep where known == nil && table.required.contains(column): values.append((column, "[]"))
            case .keep: break
            }
        }
        values.removeAll { !table.names.contains($0.column) }
        if known == nil {
            guard change.title != nil else {
                throw StorageError(.invalid, "field \"title\": is required for a new session")
            }
            values.append(("id", id))
            try database.execute(
                sql: """
                    INSERT INTO chat_sessions (\(values.map(\.column).joined(separator: ", ")))
                    VALUES (\(databaseQuestionMarks(count: values.count)))
                    """, arguments: StatementArguments(values.map(\.value)))
        } else if !values.isEmpty {
            try database.execute(
                sql:
                    "UPDATE chat_sessions SET \(values.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE id = ?",
                arguments: StatementArguments(values.map(\.value)) + [id])
        }
        guard let saved = try find(database, id) else {
            throw StorageError(.failed, "the session \(id) could not be read back")
        }
        return saved
    }

    /// The number to store; nil leaves the stored one.
    private func messageCount(_ database: Database, _ change: SessionChange, _ known: StoredSession?) throws -> Int? {
        if let count = change.messageCount { return count }
        guard case .set(let text?) = change.messagesJSON else { return known == nil ? 0 : nil }
        return try Scalar.count(database, sql: "SELECT json_array_length(?)", arguments: [text])
    }
}
