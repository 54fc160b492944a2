import Foundation
import GRDB
package import GatewayAPI

/// What was done to memories, so that it can be undone.
package enum MemoryChanges {
    /// The most changes to keep.
    package static let maxChanges = 5000
    /// The time after which the text of a memory that was forgotten is deleted for good.
    package static let undoSeconds: Int64 = 3600

    /// Keeps what a memory was before a change.
    ///
    /// - Parameter memory: The memory, with its vector for ``MemoryChange/Action/forget``.
    static func keep(
        _ action: MemoryChange.Action, of memory: Memory, reason: String? = nil, _ database: Database
    ) throws {
        let now = Int64(Date.now.timeIntervalSince1970)
        let vector = action == .forget ? memory.vector.map { VectorBlob.encode($0) } : nil
        try database.execute(
            sql: """
                INSERT INTO gateway_memory_changes
                    (memory_id, action, content, type, confidence, session_id, embedding, reason, changed_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                memory.id, action.rawValue, action == .add ? nil : memory.content, memory.type, memory.confidence,
                memory.sourceSessionID, vector, reason, now,
            ])
        try forget(before: now - undoSeconds, database)
        try database.execute(
            sql: """
                DELETE FROM gateway_memory_changes WHERE id <=
                (SELECT id FROM gateway_memory_changes ORDER BY id DESC LIMIT 1 OFFSET ?)
                """, arguments: [maxChanges])
    }

    /// Deletes what is left of memories that were forgotten before a second.
    static func forget(before second: Int64, _ database: Database) throws {
        let gone = "SELECT memory_id FROM gateway_memory_changes WHERE action = 'forget' AND changed_at < ?1"
        try database.execute(
            sql: """
                DELETE FROM gateway_memory_details WHERE memory_id IN (\(gone))
                    AND memory_id NOT IN (SELECT id FROM conversation_memories WHERE typeof(id) = 'integer')
                """, arguments: [second])
        try database.execute(
            sql: """
                DELETE FROM gateway_memory_changes WHERE memory_id IN (\(gone))
                    AND memory_id NOT IN (SELECT id FROM conversation_memories WHERE typeof(id) = 'integer')
                """, arguments: [second])
        try database.execute(
            sql: "DELETE FROM gateway_memory_changes WHERE action = 'forget' AND changed_at < ?", arguments: [second])
    }
}

/// Why memories are what they are, and the way back.
extension MemoryStore {
    /// The error of undoing a memory that was not changed.
    package static func unchanged(_ id: Int64) -> StorageError {
        StorageError(.conflict, "memory \(id) was not changed")
    }

    /// Returns a memory of any state with its source and its changes; nil when it does not exist.
    package func history(_ id: Int64) async throws -> MemoryHistory? {
        try await database.read { database, layout in
            guard let memory = try MemoryRows(table: layout.schema.memories).find(database, id) else { return nil }
            let source = memory.details?.source
            let message = try source?.message.flatMap {
                try MessageRows(table: layout.schema.messages).find(database, $0)
            }
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT action, \(ValueLimit.bounded("content", 65_536)) AS content, reason, changed_at
                    FROM gateway_memory_changes WHERE memory_id = ? ORDER BY id DESC LIMIT 50
                    """, arguments: [id])
            let changes = rows.compactMap { row in
                row.text("action").flatMap(MemoryChange.Action.init).map {
                    MemoryChange(
                        action: $0, content: row.text("content"), reason: row.text("reason"),
                        at: Timestamp.iso8601(row.integer("changed_at") ?? 0))
                }
            }
            return MemoryHistory(
                memory: memory, message: message.flatMap { $0.sessionID == source?.session ? $0 : nil },
                changes: changes)
        }
    }

    /// Undoes the last change of a memory.
    ///
    /// - Returns: What was undone; nil when there is no such memory, and none that was forgotten lately.
    /// - Throws: ``StorageError``: conflict when nothing was changed.
    package func undo(_ id: Int64) async throws -> MemoryUndone? {
        try await database.write { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            try MemoryChanges.forget(
                before: Int64(Date.now.timeIntervalSince1970) - MemoryChanges.undoSeconds, database)
            let known = try rows.find(database, id)
            guard
                let row = try Row.fetchOne(
                    database, sql: "SELECT * FROM gateway_memory_changes WHERE memory_id = ? ORDER BY id DESC LIMIT 1",
                    arguments: [id]),
                let action = row.text("action").flatMap(MemoryChange.Action.init)
            else {
                guard known != nil else { return nil }
                throw Self.unchanged(id)
            }
            guard (known == nil) == (action == .forget) else {
                guard known != nil else { return nil }
                throw Self.unchanged(id)
            }
            switch action {
            case .add:
                try database.execute(sql: "DELETE FROM conversation_memories WHERE id = ?", arguments: [id])
                try database.execute(sql: "DELETE FROM gateway_memory_details WHERE memory_id = ?", arguments: [id])
                try database.execute(
                    sql: """
                        UPDATE gateway_memory_details SET state = 'active', reason = NULL, superseded_by = NULL
                        WHERE superseded_by = ?
                        """, arguments: [id])
                try database.execute(sql: "DELETE FROM gateway_memory_changes WHERE memory_id = ?", arguments: [id])
                return MemoryUndone(undone: action, memory: nil)
            case .update, .edit:
                _ = try rows.update(
                    database, id,
                    MemoryUpdate(
                        content: row.text("content"), type: row.text("type"), confidence: row.real("confidence")))
            case .supersede:
                try database.execute(
                    sql: """
                        UPDATE gateway_memory_details SET state = 'active', reason = NULL, superseded_by = NULL
                        WHERE memory_id = ?
                        """, arguments: [id])
            case .confirm:
                try database.execute(
                    sql: "UPDATE gateway_memory_details SET state = 'proposed' WHERE memory_id = ?", arguments: [id])
            case .forget:
                let vector = row.bytes("embedding").flatMap { VectorBlob.decode($0, dimensions: $0.count / 4) }
                _ = try rows.insert(
                    database,
                    NewMemory(
                        content: row.text("content") ?? "", type: row.text("type") ?? "fact",
                        confidence: row.real("confidence"), sourceSessionID: row.text("session_id"),
                        embedding: vector), id: id)
            }
            try database.execute(
                sql: "DELETE FROM gateway_memory_changes WHERE id = ?", arguments: [row.integer("id")])
            return MemoryUndone(undone: action, memory: try rows.find(database, id))
        }
    }

    /// Confirms what a model proposed. What it contradicts is superseded. A memory that holds stays as it is.
    ///
    /// - Returns: The memory; nil when it does not exist.
    /// - Throws: ``StorageError``: conflict when it was superseded.
    package func confirm(_ id: Int64) async throws -> Memory? {
        try await database.write { database, layout in
            let rows = MemoryRows(table: layout.schema.memories)
            guard let memory = try rows.find(database, id) else { return nil }
            switch memory.details?.state {
            case .proposed:
                try MemoryChanges.keep(.confirm, of: memory, database)
                try database.execute(
                    sql: "UPDATE gateway_memory_details SET state = 'active' WHERE memory_id = ?", arguments: [id])
                let rivals = try Scalar.integers(
                    database,
                    sql: """
                        SELECT o.memory_id FROM gateway_memory_details o JOIN gateway_memory_details d ON d.key = o.key
                        WHERE d.memory_id = ?1 AND d.is_single = 1 AND o.memory_id <> ?1 AND o.state = 'active'
                        """, arguments: [id])
                for rival in rivals {
                    try MemoryLearning.supersede(
                        rival, by: id, reason: "replaced by \"\(memory.content)\"", rows, database)
                }
                return try rows.find(database, id)
            case .superseded: throw StorageError(.conflict, "memory \(id) holds no longer")
            case .active, nil: return memory
            }
        }
    }
}
