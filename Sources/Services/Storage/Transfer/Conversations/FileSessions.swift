import Foundation
import GRDB
import GatewayAPI

/// The chat sessions of an SQLite file, for a migration.
struct FileSessions: TransferTable {
    /// SQL over `s`: what the gateway takes for a session, if PostgreSQL can hold its id.
    static let isMoved = "typeof(s.id) = 'text' AND length(s.id) BETWEEN 1 AND 1000 AND instr(s.id, char(0)) = 0"

    let database: GatewayDatabase

    func page(after key: TextKey?, through last: TextKey?) async throws -> TransferRows<SessionRecord> {
        try await database.read { database, layout in
            guard layout.schema.sessions.names.contains("id") else { return TransferRows([], last: nil) }
            let bound = last == nil ? "" : "AND s.id COLLATE BINARY <= CAST(? AS TEXT)"
            let keys = try GRDB.Row.fetchAll(
                database,
                sql: """
                    SELECT CAST(s.id AS BLOB) FROM chat_sessions s
                    WHERE \(Self.isMoved) AND s.id COLLATE BINARY > CAST(? AS TEXT) \(bound)
                    ORDER BY s.id COLLATE BINARY LIMIT \(FileConversations.mostRows)
                    """,
                arguments: StatementArguments([Data(key?.bytes ?? [])] + (last.map { [Data($0.bytes)] } ?? []))
            ).compactMap { row in row.bytes(0).map { TextKey(bytes: Array($0)) } }
            return try FileConversations.rows(keys, size: { $0.messagesJSON.utf8.count }) { key in
                try Self.find(key, database, layout)
            }
        }
    }

    func rows(_ keys: [TextKey]) async throws -> [SessionRecord] {
        try await database.read { database, layout in
            try keys.sorted().compactMap { try Self.find($0, database, layout) }
        }
    }

    private static func find(
        _ key: TextKey, _ database: Database, _ layout: FileLayout
    ) throws -> SessionRecord? {
        let table = layout.schema.sessions
        // An id that is no UTF-8 names no session.
        guard let id = String(validating: key.bytes, as: UTF8.self),
            let found = try SessionRows(table: table).find(database, id)
        else { return nil }
        return SessionRecord(found, hasMessageCount: table.names.contains("message_count"))
    }

    func apply(_ rows: [SessionRecord], removing: [TextKey], _ state: TransferState) async throws {
        try await database.write { database, layout in
            try FileTransfer.check(state, database)
            for key in removing { _ = try SessionStore.delete(key.text, database, layout) }
            for row in rows { try Self.store(row, database, layout) }
        }
    }

    private static func store(_ row: SessionRecord, _ database: Database, _ layout: FileLayout) throws {
        let known = try find(row.key, database, layout)
        var change = SessionChange()
        func differs<Value: Equatable>(_ value: (SessionRecord) -> Value) -> Bool {
            known.map { value($0) != value(row) } ?? true
        }
        if differs({ TextKey($0.name) }) { change.title = row.name }
        if differs({ $0.created }) { change.createdAt = row.created }
        change.updatedAt = row.updated
        if differs({ $0.isPinned }) { change.isPinned = row.isPinned }
        if differs({ TextKey($0.compressionState) }) { change.compressionState = row.compressionState }
        if differs({ $0.compressed }) { change.compressedAt = row.compressed.map { .set($0) } ?? .clear }
        if differs({ TextKey($0.messagesJSON) }) { change.messagesJSON = .set(row.messagesJSON) }
        if differs({ $0.summaryText.map(TextKey.init) }) {
            change.summaryText = row.summaryText.map { .set($0) } ?? .clear
        }
        if differs({ $0.messageCount }) || !change.messagesJSON.isKeep { change.messageCount = row.messageCount }
        try FileTransfer.fitting("session \(row.key.text)", "chat_sessions") {
            try SessionRows(table: layout.schema.sessions).write(database, row.key.text, change, isNew: known == nil)
        }
    }
}
