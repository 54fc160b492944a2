import GRDB
import GatewayAPI

/// The messages of a chat session in an SQLite file, for a migration.
struct FileMessages: TransferTable {
    /// SQL over `m`.
    static let isMoved = """
        typeof(m.id) = 'integer' AND typeof(m.session_id) = 'text'
        AND EXISTS (SELECT 1 FROM chat_sessions s WHERE s.id = m.session_id AND \(FileSessions.isMoved))
        """

    let database: GatewayDatabase
    let session: String

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<MessageRecord> {
        guard let range = FileConversations.range(after: key, through: last) else { return TransferRows([], last: nil) }
        while true {
            let (page, version) = try await database.read { database, layout in
                let schema = layout.schema
                guard schema.messages.names.isSuperset(of: ["id", "session_id"]) else {
                    return (TransferRows<MessageRecord>([], last: nil), layout.version)
                }
                let isKept = SessionMessageIndex.isKept(for: schema)
                let (id, table) = isKept ? ("message_id", "gateway_session_messages") : ("id", "conversations")
                let ids = try Scalar.integers(
                    database,
                    sql: """
                        SELECT \(id) FROM \(table) WHERE session_id = ? AND \(id) BETWEEN ? AND ?
                        \(isKept ? "" : "AND typeof(id) = 'integer'") ORDER BY \(id) LIMIT \(FileConversations.mostRows)
                        """, arguments: [session, range.first, range.last])
                let rows = try FileConversations.rows(ids, size: { $0.content.utf8.count }) { id in
                    try find(id, database, layout)
                }
                return (rows, layout.version)
            }
            // A schema change may have dropped our triggers; the index then lacks messages.
            guard try await database.keepTriggers(schemaVersion: version) else { return page }
        }
    }

    func rows(_ keys: [Int64]) async throws -> [MessageRecord] {
        try await database.read { database, layout in
            try keys.sorted().compactMap { try find($0, database, layout) }
        }
    }

    /// Finds a message of the session.
    private func find(_ id: Int64, _ database: Database, _ layout: FileLayout) throws -> MessageRecord? {
        guard layout.schema.messages.names.isSuperset(of: ["id", "session_id"]) else { return nil }
        guard let message = try MessageRows(table: layout.schema.messages).find(database, id),
            message.sessionID.utf8.elementsEqual(session.utf8)
        else { return nil }
        return MessageRecord(message, isLinked: try MessageRows.isLinked(database, id))
    }

    func apply(_ rows: [MessageRecord], removing: [Int64], _ state: TransferState) async throws {
        try await database.write { database, layout in
            try FileTransfer.check(state, database)
            for id in removing where try find(id, database, layout) != nil {
                try database.execute(sql: "DELETE FROM conversations WHERE id = ?", arguments: [id])
                try database.execute(sql: "DELETE FROM gateway_message_links WHERE message_id = ?", arguments: [id])
            }
            let style = try DateStyle.of(layout.schema.messages, "created_at", in: database)
            for row in rows {
                try FileTransfer.fitting("message \(row.key)", "conversations") {
                    try store(row, style, database, layout)
                }
            }
        }
    }

    private func store(
        _ row: MessageRecord, _ style: DateStyle, _ database: Database, _ layout: FileLayout
    ) throws {
        let known = try find(row.key, database, layout)
        var values: [(column: String, value: any DatabaseValueConvertible)] = []
        if known == nil { values.append(("session_id", session)) }
        if known.map({ TextKey($0.role) }) != TextKey(row.role) { values.append(("role", row.role)) }
        if known.map({ TextKey($0.content) }) != TextKey(row.content) {
            values.append(("content", row.content))
        }
        if known?.created != row.created { values.append(("created_at", style.text(row.created))) }
        try FileTransfer.upsert(row.key, values, into: layout.schema.messages, database)
        let isSameLink = known?.isLinked == row.isLinked && known?.parent == row.parent && known?.run == row.run
        guard !isSameLink else { return }
        try database.execute(sql: "DELETE FROM gateway_message_links WHERE message_id = ?", arguments: [row.key])
        guard row.isLinked else { return }
        try database.execute(
            sql: "INSERT INTO gateway_message_links (message_id, session_id, parent_id, run_id) VALUES (?, ?, ?, ?)",
            arguments: [row.key, session, row.parent, row.run])
    }
}
