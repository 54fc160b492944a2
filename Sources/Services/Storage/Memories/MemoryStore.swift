import GRDB
package import GatewayAPI

/// Reads and writes memories: facts learned from conversations.
package struct MemoryStore: Sendable {
    let database: GatewayDatabase

    /// Returns a page of memories, ordered by confidence, then by last access, highest and latest first.
    ///
    /// Inserted or deleted memories do not shift pages. A memory touched between two pages may appear twice or be
    /// missed.
    ///
    /// - Parameters:
    ///   - state: Only memories of this state; nil for all.
    ///   - type: Only memories of this type; nil for all.
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(
        embeddings: Bool = false, state: MemoryDetails.State? = .active, type: String? = nil,
        after cursor: PageCursor? = nil, limit: Int
    ) async throws -> Page<Memory> {
        try cursor?.check(numbers: 3)
        return try await database.read { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            var conditions = [cursor == nil ? "1" : "(sureness, time, m.id) < (?, ?, ?)"]
            var arguments: StatementArguments =
                cursor.map {
                    [Double(bitPattern: UInt64(bitPattern: $0.numbers[0])), $0.numbers[1], $0.numbers[2]]
                } ?? []
            if let state {
                conditions.append("coalesce(d.state, 'active') = ?")
                arguments += [state.rawValue]
            }
            if let type {
                conditions.append("\(layout.schema.memories.value("m", "type", "memory_type")) = ?")
                arguments += [type]
            }
            let condition = conditions.joined(separator: " AND ")
            let found = try rows.fetch(
                database, "\(condition) ORDER BY sureness DESC, time DESC, m.id DESC LIMIT ?", arguments + [limit + 1],
                embeddings: embeddings)
            return Page(found, limit: limit) { $0.content.utf8.count + ($0.embedding?.utf8.count ?? 0) + 256 }
        }
    }

    /// Loads memories that hold by id, in any order, without their vectors. Skips unknown ids.
    ///
    /// - Throws: ``StorageError``.
    package func find(ids: [Int64]) async throws -> [Memory] {
        try await database.read { database, layout in
            try MemoryRows(table: layout.schema.memories).fetch(
                database, "m.id IN (\(databaseQuestionMarks(count: ids.count))) AND \(MemoryRows.isActive)",
                StatementArguments(ids), embeddings: false
            ).map(\.item)
        }
    }

    /// Creates a memory.
    ///
    /// - Throws: ``StorageError``.
    package func create(_ new: NewMemory) async throws -> Memory {
        try await database.write { database, layout in
            try MemoryRows(table: layout.schema.memories).insert(database, new)
        }
    }

    /// Changes a memory.
    ///
    /// - Returns: The changed memory; nil when it does not exist.
    /// - Throws: ``StorageError``.
    package func update(_ id: Int64, _ change: MemoryUpdate) async throws -> Memory? {
        try await database.write { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            guard let known = try rows.find(database, id, embeddings: true) else { return nil }
            if change.content != nil || change.type != nil || change.confidence != nil {
                try MemoryChanges.keep(.edit, of: known, database)
            }
            return try rows.update(database, id, change)
        }
    }

    /// Deletes a memory. Its text stays for ``MemoryChanges/undoSeconds``, so that the deletion can be undone.
    ///
    /// - Returns: false when the memory does not exist.
    /// - Throws: ``StorageError``.
    package func delete(_ id: Int64) async throws -> Bool {
        try await database.write { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            if let known = try rows.find(database, id, embeddings: true) {
                try MemoryChanges.keep(.forget, of: known, database)
            }
            try database.execute(sql: "DELETE FROM conversation_memories WHERE id = ?", arguments: [id])
            return database.changesCount > 0
        }
    }

    /// Sets the last access of memories to now.
    ///
    /// - Returns: The number of these memories that exist.
    /// - Throws: ``StorageError``.
    package func touch(_ ids: [Int64]) async throws -> Int {
        try await database.write { database, layout in
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
