import Foundation
import GRDB
import GatewayAPI

/// The memories of an SQLite file that hold, for a migration.
struct FileMemories: TransferTable {
    let database: GatewayDatabase

    func page(after key: Int64?, through last: Int64?) async throws -> TransferRows<MemoryRecord> {
        guard let range = FileConversations.range(after: key, through: last) else { return TransferRows([], last: nil) }
        return try await database.read { database, layout in
            var bytes = 0
            let rows = try Self.find(
                database, layout,
                "\(MemoryRows.isActive) AND m.id BETWEEN ? AND ? ORDER BY m.id LIMIT \(FileConversations.mostRows)",
                [range.first, range.last]
            ) { row in
                bytes += row.content.utf8.count + 4 * (row.vector?.count ?? 0)
                return bytes < FileConversations.mostBytes
            }
            return TransferRows(rows, last: rows.last?.key)
        }
    }

    func rows(_ keys: [Int64]) async throws -> [MemoryRecord] {
        try await database.read { database, layout in
            try keys.sorted().flatMap { key in
                try Self.find(database, layout, "\(MemoryRows.isActive) AND m.id = ? LIMIT 1", [key])
            }
        }
    }

    private static func find(
        _ database: Database, _ layout: FileLayout, _ condition: String, _ arguments: StatementArguments,
        goesOn: (MemoryRecord) -> Bool = { _ in true }
    ) throws -> [MemoryRecord] {
        let rows = MemoryRows(table: layout.schema.memories)
        var found: [MemoryRecord] = []
        try rows.forEach(database, condition, arguments, embeddings: true) { row in
            let record = MemoryRecord(
                row.memory, vector: row.vector, hasUpdated: rows.table.names.contains("updated_at"),
                hasAccessed: rows.accessed != nil)
            // Tables of other programs may have an id twice.
            if found.last?.key != record.key { found.append(record) }
            return goesOn(record)
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
        let rows = MemoryRows(table: layout.schema.memories)
        let known = try find(database, layout, "m.id = ? LIMIT 1", [row.key]).first
        let style = try DateStyle.of(rows.table, "created_at", in: database)
        var values: [(column: String, value: any DatabaseValueConvertible)] = []
        func add(_ column: String?, _ isEqual: Bool?, _ value: (any DatabaseValueConvertible)?) {
            if let column, isEqual != true { values.append((column, value ?? DatabaseValue.null)) }
        }
        let hasText = known.map { TextKey($0.content) == TextKey(row.content) }
        if hasText == false { try MemoryDetailRows.edited(row.key, row.content, database) }
        add("content", hasText, row.content)
        add(rows.table.name("type", "memory_type"), known.map { TextKey($0.type) == TextKey(row.type) }, row.type)
        add("confidence", known.map { $0.confidence.bitPattern == row.confidence.bitPattern }, row.confidence)
        add(
            "source_session_id",
            known.map { $0.sourceSession.map(TextKey.init) == row.sourceSession.map(TextKey.init) }, row.sourceSession)
        let hasVector = known.map { $0.vector?.map(\.bitPattern) == row.vector?.map(\.bitPattern) }
        add("embedding", hasVector, try row.vector.map { try rows.encode($0, database) })
        add("created_at", known.map { $0.created == row.created }, style.text(row.created))
        add("updated_at", known.map { $0.updated == row.updated }, row.updated.map(style.text))
        add(rows.accessed, known.map { $0.accessed == row.accessed }, row.accessed.map(style.text))
        try FileTransfer.upsert(row.key, values, into: rows.table, database)
        // The other store has only memories that hold.
        try database.execute(
            sql: """
                UPDATE gateway_memory_details SET state = 'active', superseded_by = NULL, reason = NULL
                WHERE memory_id = ? AND state <> 'active'
                """, arguments: [row.key])
        if let stored = try rows.find(database, row.key), stored.details?.isPinned ?? false != row.isPinned {
            try MemoryDetailRows.pin(stored, row.isPinned, database)
        }
    }
}
