import Foundation
package import GatewayAPI
import Storage

/// Changes of memories, and the way back. One transaction at a time changes memories, as in a file.
extension PostgresMemories {
    /// Runs a transaction that changes what a search finds.
    func change<Value: Sendable>(
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        try await store.write { connection in
            try await connection.run("SELECT pg_advisory_xact_lock($1)", [.integer(PostgresSchema.lock + 6)])
            let value = try await body(connection)
            try await connection.run("UPDATE memory_version SET version = version + 1")
            return value
        }
    }

    package func create(_ new: NewMemory) async throws -> Memory {
        try await change { connection in
            let rows = try await connection.run(
                """
                INSERT INTO memories AS m (content, type, confidence, source_session, embedding, created, updated,
                    accessed)
                SELECT $1::text, $2::text, $3::float8, $4::text, $5::bytea, t, t, t FROM \(Self.now) AS n (t)
                RETURNING \(Self.columns)
                """,
                [
                    .text(new.content), .text(new.type), .double(new.confidence ?? 1),
                    PostgresValue(new.sourceSessionID), Self.blob(new.embedding?.values),
                ])
            return try Self.stored(Self.memory(rows, 0))
        }
    }

    /// The time as a subquery, so that it is read once.
    private static let now = "(SELECT \(PostgresSessions.now))"

    private static func stored(_ memory: Memory?) throws(PostgresError) -> Memory {
        guard let memory else { throw PostgresError(.failed, "the memory could not be stored") }
        return memory
    }

    package func update(_ id: Int64, _ change: MemoryUpdate) async throws -> Memory? {
        try await self.change { connection in
            guard let known = try await Self.find(id, connection) else { return nil }
            if change.content != nil || change.type != nil || change.confidence != nil {
                try await Self.keep(.edit, of: id, connection)
            }
            return try await Self.update(known, change, connection)
        }
    }

    private static func update(
        _ known: Memory, _ change: MemoryUpdate, _ connection: PostgresConnection
    ) async throws -> Memory {
        let vector = change.embedding.value?.values
        // The stored vector was made from the old text.
        let isKept = change.embedding.isKeep && (change.content == nil || change.content == known.content)
        let rows = try await connection.run(
            """
            UPDATE memories m SET content = coalesce($2::text, m.content), type = coalesce($3::text, m.type),
                confidence = coalesce($4::float8, m.confidence), is_pinned = coalesce($5::boolean, m.is_pinned),
                embedding = CASE WHEN $6::boolean THEN m.embedding ELSE $7::bytea END, updated = \(now)
            WHERE m.id = $1 RETURNING \(columns)
            """,
            [
                .integer(known.id), PostgresValue(change.content), PostgresValue(change.type),
                change.confidence.map { .double($0) } ?? .null, change.isPinned.map { .bool($0) } ?? .null,
                .bool(isKept), blob(vector),
            ])
        return try stored(memory(rows, 0))
    }

    package func delete(_ id: Int64) async throws -> Bool {
        try await change { connection in
            try await Self.keep(.forget, of: id, connection)
            return try await connection.run("DELETE FROM memories WHERE id = $1", [.integer(id)]).changed > 0
        }
    }

    /// Marks memories as used now. A search does not depend on it.
    package func touch(_ ids: [Int64]) async throws -> Int {
        try await store.write { connection in
            // Equal orders in all gateways, so that none waits for another in a circle.
            try await connection.run(
                "SELECT 1 FROM memories WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE", [.integers(ids)])
            return try await connection.run(
                "UPDATE memories SET accessed = \(PostgresSessions.now) WHERE id = ANY ($1)", [.integers(ids)]
            ).changed
        }
    }

    // MARK: The way back

    /// Keeps what a memory was before a change; its vector only when it is forgotten.
    private static func keep(
        _ action: MemoryChange.Action, of id: Int64, _ connection: PostgresConnection
    ) async throws {
        try await connection.run(
            """
            INSERT INTO memory_changes (memory_id, action, content, type, confidence, source_session, is_pinned,
                embedding, changed)
            SELECT id, $2::text, content, type, confidence, source_session, is_pinned,
                CASE WHEN $2::text = 'forget' THEN embedding END, \(PostgresSessions.now)
            FROM memories WHERE id = $1
            """, [.integer(id), .text(action.rawValue)])
        try await forgetOld(connection)
        try await connection.run(
            """
            DELETE FROM memory_changes
            WHERE id <= (SELECT id FROM memory_changes ORDER BY id DESC LIMIT 1 OFFSET \(MemoryChanges.maxChanges))
            """)
    }

    /// Deletes what is left of memories that were forgotten longer ago than a deletion can be undone.
    private static func forgetOld(_ connection: PostgresConnection) async throws {
        try await connection.run(
            """
            DELETE FROM memory_changes c USING memory_changes f
            WHERE f.action = 'forget' AND f.changed < \(now) - \(MemoryChanges.undoSeconds)
                AND f.memory_id = c.memory_id AND (c.id = f.id OR NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = c.memory_id))
            """)
    }

    package func undo(_ id: Int64) async throws -> MemoryUndone? {
        try await change { connection in
            try await Self.forgetOld(connection)
            let known = try await Self.find(id, connection)
            let rows = try await connection.run(
                """
                SELECT id, action, content, type, confidence FROM memory_changes WHERE memory_id = $1
                ORDER BY id DESC LIMIT 1
                """, [.integer(id)])
            guard let change = rows.integer(0, 0), let action = rows.text(0, 1).flatMap(MemoryChange.Action.init),
                (known == nil) == (action == .forget)
            else {
                guard known != nil else { return nil }
                throw MemoryStore.unchanged(id)
            }
            if let known {
                let before = MemoryUpdate(
                    content: rows.text(0, 2), type: rows.text(0, 3), confidence: rows.double(0, 4))
                _ = try await Self.update(known, before, connection)
            } else {
                try await connection.run(
                    """
                    INSERT INTO memories (id, content, type, confidence, source_session, embedding, is_pinned, created,
                        updated, accessed)
                    SELECT memory_id, content, type, confidence, source_session, embedding, is_pinned, t, t, t
                    FROM memory_changes, \(Self.now) AS n (t) WHERE id = $1
                    """, [.integer(change)])
            }
            try await connection.run("DELETE FROM memory_changes WHERE id = $1", [.integer(change)])
            return MemoryUndone(undone: action, memory: try await Self.find(id, connection))
        }
    }

    /// Memories hold from the beginning, so there is nothing to confirm.
    package func confirm(_ id: Int64) async throws -> Memory? { try await store.read { try await Self.find(id, $0) } }
}
