import Foundation
import GRDB
import GatewayAPI

/// Reads and writes sessions with the columns that the file has.
struct SessionRows {
    let table: TableColumns

    private var messages: String? { table.name("messages_json", "full_messages_json") }

    /// Returns the ids of a page, latest first.
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

    /// Returns a session; nil when there is none with that id.
    func find(_ database: Database, _ id: String) throws -> Session? {
        guard table.names.contains("id") else { return nil }
        let text = messages.map { "s.\($0)" } ?? "NULL"
        let counted = "CASE WHEN typeof(\(text)) = 'text' AND json_valid(\(text)) THEN json_array_length(\(text)) END"
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT s.id AS id, \(table.bounded("s", "title")) AS title,
                    \(ValueLimit.bounded(text, ValueLimit.text)) AS messages,
                    coalesce(\(table.bounded("s", "message_count")), nullif(\(counted), 0),
                        (SELECT count(*) FROM gateway_message_links l WHERE l.session_id = s.id)) AS message_count,
                    \(table.bounded("s", "is_pinned")) AS is_pinned,
                    \(table.bounded("s", "compression_state")) AS compression_state,
                    \(table.bounded("s", "compressed_at")) AS compressed_at,
                    \(table.bounded("s", "summary_text")) AS summary_text,
                    \(compressedThrough) AS compressed_through,
                    (SELECT c.error FROM gateway_compressions c WHERE c.session_id = s.id) AS compression_error,
                    \(table.bounded("s", "created_at")) AS created_at,
                    \(table.bounded("s", "updated_at")) AS updated_at
                FROM chat_sessions s WHERE s.id = ? LIMIT 1
                """, arguments: [id])
        return row.map { row in
            Session(
                id: row.text("id") ?? "", title: row.text("title") ?? "", createdAt: row.date("created_at"),
                updatedAt: row.date("updated_at"), messageCount: Int(clamping: row.integer("message_count") ?? 0),
                isPinned: row.integer("is_pinned") ?? 0 != 0, compressionState: row.text("compression_state"),
                compressedAt: row.date("compressed_at"), messagesJSON: row.text("messages"),
                summaryText: row.text("summary_text"), compressedThrough: row.integer("compressed_through"),
                compressionError: row.text("compression_error"))
        }
    }

    /// Passes the messages that clients keep as JSON, latest change first, until the body returns false.
    func eachArchive(
        _ database: Database, _ body: (_ session: String, _ json: String, _ changedAt: String?) throws -> Bool
    ) throws {
        guard table.names.contains("id"), let messages else { return }
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT s.id, \(ValueLimit.bounded("s.\(messages)", ValueLimit.text)),
                    \(table.bounded("s", "updated_at")) AS updated_at
                FROM chat_sessions s WHERE typeof(s.id) = 'text' AND length(s.id) BETWEEN 1 AND 1000
                    AND typeof(s.\(messages)) = 'text' AND s.\(messages) <> '[]'
                ORDER BY \(SQLTime.seconds(table.value("s", "updated_at"))) DESC, s.id DESC
                """)
        while let row = try rows.next() {
            guard let id = row.text(0), let json = row.text(1) else { continue }
            guard try body(id, json, row.date("updated_at")) else { return }
        }
    }

    /// SQL for the last message that the session's summary covers. NULL for a summary that another program wrote.
    private var compressedThrough: String {
        guard table.names.contains("summary_text") else { return "NULL" }
        return """
            (SELECT max(g.message_id) FROM gateway_summaries g
            WHERE g.session_id = s.id AND g.text = s.summary_text)
            """
    }

    /// The summary that another program wrote; nil for none, and for one that covers messages known here.
    func foreignSummary(_ database: Database, _ id: String) throws -> String? {
        guard table.names.isSuperset(of: ["id", "summary_text"]) else { return nil }
        return try database.compiledRow(
            """
            SELECT \(table.bounded("s", "summary_text")) FROM chat_sessions s
            WHERE s.id = ? AND \(compressedThrough) IS NULL LIMIT 1
            """, [id])?.text(0)
    }

    func save(_ database: Database, _ id: String, _ change: SessionChange) throws -> Session {
        try write(database, id, change, isNew: try find(database, id) == nil)
        guard let saved = try find(database, id) else {
            throw StorageError(.failed, "the session \(id) could not be read back")
        }
        return saved
    }

    /// Creates or changes a session.
    ///
    /// - Parameter isNew: Whether the session does not exist.
    func write(_ database: Database, _ id: String, _ change: SessionChange, isNew: Bool) throws {
        let style = try DateStyle.of(table, "updated_at", in: database)
        let now = Int64(Date.now.timeIntervalSince1970)
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = []
        if let title = change.title { values.append(("title", title)) }
        if let created = change.createdAt ?? (isNew ? now : nil) {
            values.append(("created_at", style.text(created)))
        }
        values.append(("updated_at", style.text(change.updatedAt ?? now)))
        if let pinned = change.isPinned ?? (isNew ? false : nil) { values.append(("is_pinned", pinned ? 1 : 0)) }
        if let state = change.compressionState ?? (isNew ? "full" : nil) {
            values.append(("compression_state", state))
        }
        if !change.compressedAt.isKeep { values.append(("compressed_at", change.compressedAt.value.map(style.text))) }
        if !change.summaryText.isKeep { values.append(("summary_text", change.summaryText.value)) }
        if let count = try messageCount(database, change, isNew: isNew) { values.append(("message_count", count)) }
        if let column = messages {
            let empty = table.required.contains(column) ? "[]" : nil
            switch change.messagesJSON {
            case .set(let text): values.append((column, text))
            case .clear: values.append((column, empty))
            case .keep where isNew && empty != nil: values.append((column, empty))
            case .keep: break
            }
        }
        values.removeAll { !table.names.contains($0.column) }
        if isNew {
            guard change.title != nil else { throw SessionStore.lacksTitle }
            values.append(("id", id))
            try database.executeCompiled(
                """
                INSERT INTO chat_sessions (\(values.map(\.column).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: values.count)))
                """, StatementArguments(values.map(\.value)))
        } else if !values.isEmpty {
            try database.executeCompiled(
                "UPDATE chat_sessions SET \(values.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE id = ?",
                StatementArguments(values.map(\.value)) + [id])
        }
    }

    /// Returns the number of messages to store; nil keeps the stored number.
    private func messageCount(_ database: Database, _ change: SessionChange, isNew: Bool) throws -> Int? {
        if let count = change.messageCount { return count }
        guard let text = change.messagesJSON.value else { return isNew ? 0 : nil }
        return try Scalar.count(database, sql: "SELECT json_array_length(?)", arguments: [text])
    }

    /// Whether a session with this id exists.
    static func contain(_ id: String, in database: Database) throws -> Bool {
        try database.compiledRow("SELECT 1 FROM chat_sessions WHERE id = ?", [id]) != nil
    }
}
