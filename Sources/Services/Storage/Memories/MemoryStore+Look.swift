import GRDB
package import GatewayAPI

/// What a look at the memories read.
package struct MemoryLook: Sendable {
    /// The position in the log of the snapshot that was read, for the next look; nil when the next look has to read all.
    package let position: Int64?
    /// The ids of all memories that changed since the position of the call, those that are gone or hold no longer
    /// among them; nil when every memory was read.
    package let changed: Set<Int64>?

    /// A look that read all memories, unless `changed` has ids.
    package init(position: Int64? = nil, changed: Set<Int64>? = nil) {
        self.position = position
        self.changed = changed
    }
}

extension MemoryStore {
    /// The maximum number of changed memories that are read by id.
    static let maxChanged = 5000

    /// Calls a closure with the memories that hold and changed since the last look, or with all, newest first, on SQLite's
    /// queue. The memory's own `embedding` field stays empty.
    ///
    /// - Parameters:
    ///   - position: The position of the last look; nil to read all.
    ///   - limit: The maximum number of memories to read when all are read.
    /// - Throws: ``StorageError``.
    package func look(
        after position: Int64?, limit: Int,
        _ body: @escaping @Sendable (_ memory: Memory, _ vector: [Float]?) -> Void
    ) async throws -> MemoryLook {
        let triggers = database.triggers
        let (look, version) = try await database.read { database, layout in
            // The log has everything only while the triggers of this schema are known to be there.
            let isLogged = triggers.isVerified(at: layout.version) && MemoryLog.isKept(for: layout.schema)
            let log = isLogged ? try MemoryLog.changes(database, after: position, limit: Self.maxChanged) : nil
            let rows = MemoryRows(table: layout.schema.memories)
            var (condition, arguments) = (MemoryRows.isActive, StatementArguments())
            if let changed = log?.changed {
                condition = "m.id IN (\(databaseQuestionMarks(count: changed.count))) AND " + condition
                arguments = StatementArguments(changed.sorted())
            }
            if log?.changed?.isEmpty != true {
                try rows.forEach(
                    database, "\(condition) ORDER BY m.id DESC LIMIT ?", arguments + [limit], embeddings: true
                ) {
                    body($0.memory, $0.vector)
                    return true
                }
            }
            return (MemoryLook(position: log?.end, changed: log?.changed), layout.version)
        }
        if look.position == nil { _ = try await database.keepTriggers(schemaVersion: version) }
        return look
    }
}
