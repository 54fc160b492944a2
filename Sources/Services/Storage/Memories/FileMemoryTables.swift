package import ChatRoom
package import Database
import Foundation
import GRDB
import GatewayAPI

extension GatewayDatabase {
    package func memoryTables(in session: any SQLSession) throws -> any MemoryTables {
        guard let session = session as? SQLiteSession else {
            throw StorageError(.failed, "the session belongs to another store")
        }
        return FileMemoryTables(
            database: session.database, layout: try layouts.current(session.database), triggers: triggers)
    }

    package func memoryVersion() async throws -> Int64 { try await changes.dataVersion() }

    /// The log has everything only while its triggers are known to be there.
    package func keepMemoryLog() async throws { try await keepTriggers() }
}

/// The memories of a file, in a table of another program, with the columns that the file has.
struct FileMemoryTables: MemoryTables {
    let database: Database
    let layout: FileLayout
    /// nil where nobody reads the log.
    var triggers: TriggerChecks?

    var table: TableColumns { layout.schema.memories }
    var accessed: String? { table.name("last_accessed_at", "last_accessed") }

    var memories: String {
        guard table.names.contains("id") else {
            let columns = [
                "id", "content", "type", "confidence", "session", "created_at", "updated_at", "accessed_at", "time",
                "embedding", "size", "vector_size",
            ]
            return "(SELECT \(columns.map { "NULL AS \($0)" }.joined(separator: ", ")) WHERE 0)"
        }
        let lastAccess = table.value("t", "last_accessed_at", "last_accessed")
        func size(_ column: String) -> String {
            "coalesce(length(CAST(\(table.value("t", column)) AS BLOB)), 0) AS \(column == "content" ? "size" : "vector_size")"
        }
        return """
            (SELECT t.id AS id, \(table.bounded("t", "content")) AS content,
                \(table.bounded("t", "type", "memory_type")) AS type,
                \(ValueLimit.finite(table.value("t", "confidence"), else: "1.0")) AS confidence,
                \(table.bounded("t", "source_session_id")) AS session, \(table.bounded("t", "created_at")) AS created_at,
                \(table.bounded("t", "updated_at")) AS updated_at, \(ValueLimit.bounded(lastAccess)) AS accessed_at,
                \(SQLTime.seconds(lastAccess)) AS time, \(table.bounded("t", "embedding")) AS embedding,
                \(size("content")), \(size("embedding"))
            FROM conversation_memories t WHERE \(table.hasNumber("t")))
            """
    }

    /// A file has one writer anyway.
    func lock() {}

    func vector(_ bytes: [UInt8]?) -> [Float]? { MemoryVector.decode(bytes.map { Data($0) }) }

    func insert(_ new: NewMemory, id: Int64?) throws -> Int64 {
        let now = try DateStyle.of(table, "created_at", in: database).now
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = [
            ("content", new.content), ("confidence", new.confidence ?? 1),
            ("source_session_id", new.sourceSessionID),
            ("created_at", now), ("updated_at", now),
        ]
        if let id { values.append(("id", id)) }
        if let column = table.name("type", "memory_type") { values.append((column, new.type)) }
        if let accessed { values.append((accessed, now)) }
        if let vector = new.embedding { values.append(("embedding", try encode(vector.values))) }
        values.removeAll { !table.names.contains($0.column) }
        try database.execute(
            sql: """
                INSERT INTO conversation_memories (\(values.map(\.column).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: values.count)))
                """, arguments: StatementArguments(values.map(\.value)))
        return id ?? database.lastInsertedRowID
    }

    func update(_ id: Int64, _ change: MemoryUpdate) throws {
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = []
        if let content = change.content { values.append(("content", content)) }
        if let type = change.type, let column = table.name("type", "memory_type") { values.append((column, type)) }
        if let confidence = change.confidence { values.append(("confidence", confidence)) }
        switch change.embedding {
        case .set(let vector): values.append(("embedding", try encode(vector.values)))
        case .clear: values.append(("embedding", nil))
        case .keep: break
        }
        values.append(("updated_at", try DateStyle.of(table, "created_at", in: database).now))
        values.removeAll { !table.names.contains($0.column) }
        guard !values.isEmpty else { return }
        try database.execute(
            sql: """
                UPDATE conversation_memories SET \(values.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE id = ?
                """, arguments: StatementArguments(values.map(\.value)) + [id])
    }

    func delete(_ id: Int64) throws -> Bool {
        try database.execute(sql: "DELETE FROM conversation_memories WHERE id = ?", arguments: [id])
        return database.changesCount > 0
    }

    func touch(_ ids: [Int64]) throws -> Int {
        let marks = databaseQuestionMarks(count: ids.count)
        guard let accessed else {
            return try Scalar.count(
                database, sql: "SELECT count(*) FROM conversation_memories WHERE id IN (\(marks))",
                arguments: StatementArguments(ids)) ?? 0
        }
        let now = try DateStyle.of(table, accessed, in: database).now
        try database.execute(
            sql: "UPDATE conversation_memories SET \(accessed) = ? WHERE id IN (\(marks))",
            arguments: [now] + StatementArguments(ids))
        return database.changesCount
    }

    /// Encodes a vector in the form that the table's latest one has.
    func encode(_ vector: [Float]) throws -> Data {
        let latest = try Row.fetchOne(
            database,
            sql: """
                SELECT \(table.bounded("m", "embedding")) AS embedding FROM conversation_memories m
                WHERE embedding IS NOT NULL ORDER BY id DESC LIMIT 1
                """)
        let isJSON = latest?.bytes("embedding").map(MemoryVector.isJSON) ?? false
        return MemoryVector.encode(vector, asJSON: isJSON)
    }

    func changes(after position: Int64?, limit: Int) throws -> (end: Int64?, changed: Set<Int64>?) {
        let isLogged = triggers?.isVerified(at: layout.version) == true && MemoryLog.isKept(for: layout.schema)
        guard isLogged else { return (nil, nil) }
        let (end, changed) = try MemoryLog.changes(database, after: position, limit: limit)
        return (end, changed)
    }
}
