import GRDB

/// The log of changed memories, so that a reader who knows all others reads only these. Triggers fill it, whichever
/// process writes.
///
/// While another program rebuilds its table, the triggers are missing; the next look at the schema creates them again and
/// cuts the log, so that every reader starts anew.
enum MemoryLog {
    /// The number of entries to keep.
    static let kept = 20_000

    /// The names of all triggers.
    static let names = Set(triggers.map(\.name))

    /// Whether the file has this log: the memories are a table with an id.
    static func isKept(for schema: FileSchema) -> Bool {
        !schema.memoryLog.names.isEmpty && schema.memories.takesTriggers && schema.memories.names.contains("id")
    }

    /// Adds the table to a file, and its triggers.
    static func create(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE gateway_memory_log (
                    seq INTEGER PRIMARY KEY AUTOINCREMENT,
                    memory_id INTEGER NOT NULL CHECK (typeof(memory_id) = 'integer')
                )
                """)
        guard isKept(for: try FileSchema(database)) else { return }
        for trigger in triggers { try database.execute(sql: trigger.sql) }
    }

    /// Truncates the log, so that every reader reads all memories again.
    static func cut(_ database: Database, _ schema: FileSchema) throws {
        guard !schema.memoryLog.names.isEmpty else { return }
        // Inserts two rows and deletes the first, so that no reader's position lies right before the remaining row.
        try database.execute(
            sql: """
                INSERT INTO gateway_memory_log (memory_id) VALUES (-1);
                INSERT INTO gateway_memory_log (memory_id) VALUES (-1);
                DELETE FROM gateway_memory_log WHERE seq < (SELECT max(seq) FROM gateway_memory_log);
                """)
    }

    static let triggers: [TriggerDefinition] = {
        func log(_ value: String) -> String {
            "INSERT INTO gateway_memory_log (memory_id) SELECT \(value) WHERE typeof(\(value)) = 'integer';"
        }
        func watch(_ name: String, _ table: String, _ column: String) -> [TriggerDefinition] {
            [
                TriggerDefinition("gateway_\(name)_in", "INSERT", on: table, log("NEW.\(column)")),
                TriggerDefinition("gateway_\(name)_out", "DELETE", on: table, log("OLD.\(column)")),
                TriggerDefinition(
                    "gateway_\(name)_up", "UPDATE", on: table, log("OLD.\(column)"), log("NEW.\(column)")),
            ]
        }
        let trim = TriggerDefinition(
            "gateway_memory_trim", "INSERT", on: "gateway_memory_log",
            "DELETE FROM gateway_memory_log WHERE seq <= NEW.seq - \(kept);")
        return watch("memory", "conversation_memories", "id")
            + watch("memory_detail", "gateway_memory_details", "memory_id") + [trim]
    }()

    /// Returns the end of the log, and the memories that changed after a position.
    ///
    /// - Returns: `changed` is nil when the log does not reach back to the position or has more than `limit` entries
    ///   after it.
    static func changes(
        _ database: Database, after position: Int64?, limit: Int
    ) throws -> (end: Int64, changed: Set<Int64>?) {
        let row = try database.compiledRow(
            """
            SELECT (SELECT seq FROM sqlite_sequence WHERE name = 'gateway_memory_log') AS last,
                (SELECT min(seq) FROM gateway_memory_log) AS first
            """)
        let end = row?.integer("last") ?? 0
        guard let position, position <= end, position >= end - Int64(limit) else { return (end, nil) }
        guard position < end else { return (end, []) }
        guard let first = row?.integer("first"), first - 1 <= position else { return (end, nil) }
        let ids = try Scalar.integers(
            database, sql: "SELECT DISTINCT memory_id FROM gateway_memory_log WHERE seq > ?", arguments: [position])
        return (end, Set(ids))
    }
}
