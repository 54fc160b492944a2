import Foundation
import GRDB
import GatewayAPI

/// Reads and writes memories with the columns that the file has.
struct MemoryRows {
    let table: TableColumns

    var accessed: String? { table.name("last_accessed_at", "last_accessed") }

    /// The condition for memories that hold.
    static let isActive = "coalesce(d.state, 'active') = 'active'"

    /// - Parameter condition: SQL after WHERE, over `m`, its details `d`, `sureness` and `time`.
    func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments, embeddings: Bool
    ) throws -> [(item: Memory, cursor: PageCursor)] {
        var found: [(item: Memory, cursor: PageCursor)] = []
        var bytes = 0
        try forEach(database, condition, arguments, embeddings: embeddings) { row in
            var memory = row.memory
            memory.embedding = row.vector.map(VectorText.encode)
            found.append((memory, row.cursor))
            bytes += memory.content.utf8.count + (memory.embedding?.utf8.count ?? 0)
            return bytes < ValueLimit.batch
        }
        return found
    }

    /// Calls a closure with rows until it returns false.
    func forEach(
        _ database: Database, _ condition: String, _ arguments: StatementArguments, embeddings: Bool,
        _ body: ((memory: Memory, vector: [Float]?, cursor: PageCursor)) -> Bool
    ) throws {
        guard table.names.contains("id") else { return }
        let lastAccess = table.value("m", "last_accessed_at", "last_accessed")
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT m.id AS id, \(table.bounded("m", "content")) AS content,
                    \(table.bounded("m", "type", "memory_type")) AS type,
                    \(ValueLimit.finite(table.value("m", "confidence"), else: "1.0")) AS sureness,
                    \(table.bounded("m", "source_session_id")) AS source_session_id,
                    \(table.bounded("m", "created_at")) AS created_at,
                    \(table.bounded("m", "updated_at")) AS updated_at,
                    \(ValueLimit.bounded(lastAccess)) AS last_accessed, \(SQLTime.seconds(lastAccess)) AS time,
                    \(embeddings ? table.bounded("m", "embedding") : "NULL") AS embedding, \(MemoryDetailRows.columns)
                FROM conversation_memories m \(MemoryDetailRows.join(table)) WHERE typeof(m.id) = 'integer' AND \(condition)
                """, arguments: arguments)
        while let row = try rows.next() {
            guard let id = row.integer("id") else { continue }
            let sureness = row.real("sureness") ?? 1
            var memory = Memory(
                id: id, content: row.text("content") ?? "", type: row.text("type"), confidence: sureness,
                sourceSessionID: row.text("source_session_id"), createdAt: row.date("created_at"),
                updatedAt: row.date("updated_at"), lastAccessedAt: row.date("last_accessed"))
            memory.details = MemoryDetailRows.details(row)
            let cursor = PageCursor(Int64(bitPattern: sureness.bitPattern), row.integer("time") ?? 0, id)
            guard body((memory, MemoryVector.decode(row.bytes("embedding")), cursor)) else { return }
        }
    }

    /// - Parameter id: The id of a memory that comes back; nil for a new one.
    func insert(_ database: Database, _ new: NewMemory, id: Int64? = nil) throws -> Memory {
        let now = try DateStyle.of(table, "created_at", in: database).now
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = [
            ("content", new.content), ("confidence", new.confidence ?? 1),
            ("source_session_id", new.sourceSessionID),
            ("created_at", now), ("updated_at", now),
        ]
        if let id { values.append(("id", id)) }
        if let column = table.name("type", "memory_type") { values.append((column, new.type)) }
        if let accessed { values.append((accessed, now)) }
        if let vector = new.embedding { values.append(("embedding", try encode(vector.values, database))) }
        values.removeAll { !table.names.contains($0.column) }
        try database.execute(
            sql: """
                INSERT INTO conversation_memories (\(values.map(\.column).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: values.count)))
                """, arguments: StatementArguments(values.map(\.value)))
        guard let stored = try find(database, id ?? database.lastInsertedRowID) else {
            throw StorageError(.failed, "the memory could not be read back")
        }
        return stored
    }

    func update(_ database: Database, _ id: Int64, _ change: MemoryUpdate) throws -> Memory? {
        guard let known = try find(database, id) else { return nil }
        if let isPinned = change.isPinned { try MemoryDetailRows.pin(known, isPinned, database) }
        if let content = change.content { try MemoryDetailRows.edited(id, content, database) }
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = []
        if let content = change.content { values.append(("content", content)) }
        if let type = change.type, let column = table.name("type", "memory_type") { values.append((column, type)) }
        if let confidence = change.confidence { values.append(("confidence", confidence)) }
        switch change.embedding {
        case .set(let vector): values.append(("embedding", try encode(vector.values, database)))
        case .clear: values.append(("embedding", nil))
        // The stored vector was made from the old text.
        case .keep: if let content = change.content, content != known.content { values.append(("embedding", nil)) }
        }
        values.append(("updated_at", try DateStyle.of(table, "created_at", in: database).now))
        values.removeAll { !table.names.contains($0.column) }
        if !values.isEmpty {
            let assignments = values.map { "\($0.column) = ?" }.joined(separator: ", ")
            try database.execute(
                sql: "UPDATE conversation_memories SET \(assignments) WHERE id = ?",
                arguments: StatementArguments(values.map(\.value)) + [id])
        }
        return try find(database, id)
    }

    func find(_ database: Database, _ id: Int64, embeddings: Bool = false) throws -> Memory? {
        try fetch(database, "m.id = ? LIMIT 1", [id], embeddings: embeddings).first?.item
    }

    /// Encodes a vector in the form that the table's latest one has.
    func encode(_ vector: [Float], _ database: Database) throws -> Data {
        let latest = try Row.fetchOne(
            database,
            sql: """
                SELECT \(table.bounded("m", "embedding")) AS embedding FROM conversation_memories m
                WHERE embedding IS NOT NULL ORDER BY id DESC LIMIT 1
                """)
        let isJSON = latest?.bytes("embedding").map(MemoryVector.isJSON) ?? false
        return MemoryVector.encode(vector, asJSON: isJSON)
    }
}
