import Foundation
import GRDB

extension GatewayDatabase {
    /// A page of the memories: the surest first, then those of use most lately.
    ///
    /// Memories that come or go move nothing; one that is touched while pages are read may be met again or be missed.
    ///
    /// - Throws: ``StorageError``, also when the cursor is another list's.
    public func memoryPage(
        embeddings: Bool = false, after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<StoredMemory> {
        try cursor?.check(numbers: 3)
        return try await read { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            let condition = cursor == nil ? "1" : "(sureness, time, m.id) < (?, ?, ?)"
            let arguments: StatementArguments =
                cursor.map {
                    [Double(bitPattern: UInt64(bitPattern: $0.numbers[0])), $0.numbers[1], $0.numbers[2]]
                } ?? []
            let found = try rows.fetch(
                database, "\(condition) ORDER BY sureness DESC, time DESC, m.id DESC LIMIT ?", arguments + [limit + 1],
                embeddings: embeddings)
            return Page(found, limit: limit) { $0.content.utf8.count + ($0.embedding?.count ?? 0) * 6 + 256 }
        }
    }

    /// Memories by id, in any order, with their vectors when asked for.
    public func memories(ids: [Int64], embeddings: Bool = false) async throws -> [StoredMemory] {
        try await read { database, layout in
            try MemoryRows(table: layout.schema.memories).fetch(
                database, "m.id IN (\(databaseQuestionMarks(count: ids.count)))", StatementArguments(ids),
                embeddings: embeddings
            ).map(\.item)
        }
    }

    /// Calls a closure with every memory and its vector, the newest first, on SQLite's queue.
    ///
    /// - Parameter limit: Memories that are read at most.
    /// - Throws: ``StorageError``.
    public func forEachMemory(limit: Int, _ body: @escaping @Sendable (StoredMemory) -> Void) async throws {
        try await read { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            try rows.forEach(database, "1 ORDER BY m.id DESC LIMIT ?", [limit], embeddings: true) {
                body($0.item)
                return true
            }
        }
    }

    /// Makes a memory.
    ///
    /// - Throws: ``StorageError``.
    public func createMemory(_ draft: MemoryDraft) async throws -> StoredMemory {
        try await write { database, layout in
            try MemoryRows(table: layout.schema.memories).insert(database, draft)
        }
    }

    /// Changes a memory.
    ///
    /// - Returns: nil when there is no such memory.
    /// - Throws: ``StorageError``.
    public func updateMemory(_ id: Int64, _ change: MemoryChange) async throws -> StoredMemory? {
        try await write { database, layout in
            try MemoryRows(table: layout.schema.memories).update(database, id, change)
        }
    }

    /// Deletes a memory.
    ///
    /// - Returns: false when there is no such memory.
    /// - Throws: ``StorageError``.
    public func deleteMemory(_ id: Int64) async throws -> Bool {
        try await write { database in
            try database.execute(sql: "DELETE FROM conversation_memories WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    /// Notes that memories were of use just now.
    ///
    /// - Returns: How many of them exist.
    /// - Throws: ``StorageError``.
    public func touchMemories(_ ids: [Int64]) async throws -> Int {
        try await write { database, layout in
            let table = layout.schema.memories
            let marks = databaseQuestionMarks(count: ids.count)
            guard let column = table.name("last_accessed_at", "last_accessed") else {
                return try Scalar.count(
                    database, sql: "SELECT count(*) FROM conversation_memories WHERE id IN (\(marks))",
                    arguments: StatementArguments(ids)) ?? 0
            }
            let now = try DateStyle.of(table, column, in: database).now
            try database.execute(
                sql: "UPDATE conversation_memories SET \(column) = ? WHERE id IN (\(marks))",
                arguments: [now] + StatementArguments(ids))
            return database.changesCount
        }
    }
}

/// Reads and writes memories in whatever columns the file has.
private struct MemoryRows {
    let table: TableColumns

    private var accessed: String? { table.name("last_accessed_at", "last_accessed") }

    /// - Parameter condition: What follows WHERE, over `m`, `sureness` and `time`.
    func fetch(
        _ database: Database, _ condition: String, _ arguments: StatementArguments, embeddings: Bool
    ) throws -> [(item: StoredMemory, cursor: PageCursor)] {
        var found: [(item: StoredMemory, cursor: PageCursor)] = []
        var bytes = 0
        try forEach(database, condition, arguments, embeddings: embeddings) { row in
            found.append(row)
            bytes += row.item.content.utf8.count + (row.item.embedding?.count ?? 0) * 6
            return bytes < ValueLimit.batch
        }
        return found
    }

    /// Calls a closure with rows until it returns false.
    func forEach(
        _ database: Database, _ condition: String, _ arguments: StatementArguments, embeddings: Bool,
        _ body: ((item: StoredMemory, cursor: PageCursor)) -> Bool
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
                    \(embeddings ? table.bounded("m", "embedding") : "NULL") AS embedding
                FROM conversation_memories m WHERE typeof(m.id) = 'integer' AND \(condition)
                """, arguments: arguments)
        while let row = try rows.next() {
            guard let id = row.integer("id") else { continue }
            let sureness = row.real("sureness") ?? 1
            let memory = StoredMemory(
                id: id, content: row.text("content") ?? "", type: row.text("type"), confidence: sureness,
                sourceSession: row.text("source_session_id"), createdAt: row.date("created_at"),
                updatedAt: row.date("updated_at"), lastAccessedAt: row.date("last_accessed"),
                embedding: MemoryVector.decode(row.bytes("embedding")))
            let cursor = PageCursor(Int64(bitPattern: sureness.bitPattern), row.integer("time") ?? 0, id)
            guard body((memory, cursor)) else { return }
        }
    }

    func insert(_ database: Database, _ draft: MemoryDraft) throws -> StoredMemory {
        let now = try DateStyle.of(table, "created_at", in: database).now
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = [
            ("content", draft.content), ("confidence", draft.confidence), ("source_session_id", draft.sourceSession),
            ("created_at", now), ("updated_at", now),
        ]
        if let column = table.name("type", "memory_type") { values.append((column, draft.type)) }
        if let accessed { values.append((accessed, now)) }
        if let vector = draft.embedding { values.append(("embedding", try encode(vector, database))) }
        values.removeAll { !table.names.contains($0.column) }
        try database.execute(
            sql: """
                INSERT INTO conversation_memories (\(values.map(\.column).joined(separator: ", ")))
                VALUES (\(databaseQuestionMarks(count: values.count)))
                """, arguments: StatementArguments(values.map(\.value)))
        guard let stored = try find(database, database.lastInsertedRowID) else {
            throw StorageError(.failed, "the memory could not be read back")
        }
        return stored
    }

    func update(_ database: Database, _ id: Int64, _ change: MemoryChange) throws -> StoredMemory? {
        guard let known = try find(database, id) else { return nil }
        var values: [(column: String, value: (any DatabaseValueConvertible)?)] = []
        if let content = change.content { values.append(("content", content)) }
        if let type = change.type, let column = table.name("type", "memory_type") { values.append((column, type)) }
        if let confidence = change.confidence { values.append(("confidence", confidence)) }
        switch change.embedding {
        case .set(let vector): values.append(("embedding", try vector.map { try encode($0, database) }))
        // A vector belongs to the words that it was made of.
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

    private func find(_ database: Database, _ id: Int64) throws -> StoredMemory? {
        try fetch(database, "m.id = ? LIMIT 1", [id], embeddings: false).first?.item
    }

    private func encode(_ vector: [Float], _ database: Database) throws -> Data {
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
