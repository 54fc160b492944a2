import ChatRoom
import Database
import Foundation
import GRDB
import GatewayAPI

/// The memories of an SQLite file, for a migration.
struct FileMemories: TransferTable {
    let database: GatewayDatabase

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<MemoryRecord> {
        guard let range = FileConversations.range(after: key, through: last) else { return TransferRows([], last: nil) }
        return try await database.read { database, layout in
            let rows = try Self.find(
                database, layout,
                "m.id BETWEEN $1 AND $2 ORDER BY m.id LIMIT \(FileConversations.mostRows)",
                [.integer(range.first), .integer(range.last)], most: FileConversations.mostBytes)
            return TransferRows(rows, last: rows.last?.key)
        }
    }

    func rows(_ keys: [Int64]) async throws -> [MemoryRecord] {
        try await database.read { database, layout in
            try keys.sorted().flatMap { key in
                try Self.find(database, layout, "m.id = $1 LIMIT 1", [.integer(key)])
            }
        }
    }

    /// - Parameter most: The bytes of memories after which no further one is returned.
    private static func find(
        _ database: Database, _ layout: FileLayout, _ condition: String, _ values: [SQLValue], most: Int = .max
    ) throws -> [MemoryRecord] {
        let tables = FileMemoryTables(database: database, layout: layout)
        var (found, bytes) = ([MemoryRecord](), 0)
        try MemoryRows(tables, SQLiteSession(database)).each(condition, values, vectors: true) { memory, vector, _ in
            guard bytes < most else { return }
            let record = MemoryRecord(
                memory, vector: vector, hasUpdated: tables.table.names.contains("updated_at"),
                hasAccessed: tables.accessed != nil)
            // Tables of other programs may have an id twice.
            if found.last?.key != record.key { found.append(record) }
            bytes += record.content.utf8.count + 4 * (record.vector?.count ?? 0)
        }
        return found
    }

    func apply(_ rows: [MemoryRecord], removing: [Int64], _ state: TransferState) async throws {
        try await database.write { database, layout in
            try FileTransfer.check(state, database)
            for id in removing {
                try database.execute(sql: "DELETE FROM conversation_memories WHERE id = ?", arguments: [id])
            }
            for row in rows {
                try FileTransfer.fitting("memory \(row.key)", "conversation_memories") {
                    try Self.store(row, database, layout)
                }
            }
        }
    }

    private static func store(_ row: MemoryRecord, _ database: Database, _ layout: FileLayout) throws {
        let tables = FileMemoryTables(database: database, layout: layout)
        let known = try find(database, layout, "m.id = $1 LIMIT 1", [.integer(row.key)]).first
        let style = try DateStyle.of(tables.table, "created_at", in: database)
        var values: [(column: String, value: any DatabaseValueConvertible)] = []
        func add(_ column: String?, _ isEqual: Bool?, _ value: (any DatabaseValueConvertible)?) {
            if let column, isEqual != true { values.append((column, value ?? DatabaseValue.null)) }
        }
        let hasText = known.map { TextKey($0.content) == TextKey(row.content) }
        add("content", hasText, row.content)
        add(tables.table.name("type", "memory_type"), known.map { TextKey($0.type) == TextKey(row.type) }, row.type)
        add("confidence", known.map { $0.confidence.bitPattern == row.confidence.bitPattern }, row.confidence)
        add(
            "source_session_id",
            known.map { $0.sourceSession.map(TextKey.init) == row.sourceSession.map(TextKey.init) }, row.sourceSession)
        let hasVector = known.map { $0.vector?.map(\.bitPattern) == row.vector?.map(\.bitPattern) }
        add("embedding", hasVector, try row.vector.map { try tables.encode($0) })
        add("created_at", known.map { $0.created == row.created }, style.text(row.created))
        add("updated_at", known.map { $0.updated == row.updated }, row.updated.map(style.text))
        add(tables.accessed, known.map { $0.accessed == row.accessed }, row.accessed.map(style.text))
        try FileTransfer.upsert(row.key, values, into: tables.table, database)
    }
}
