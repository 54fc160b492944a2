import Database
package import GatewayAPI

/// Changes of memories, why they are what they are, and the way back.
extension MemoryRoom {
    /// Creates a memory.
    package func create(_ new: NewMemory) async throws -> Memory { try await change { try $0.insert(new) } }

    /// Changes a memory; returns nil when it does not exist.
    package func update(_ id: Int64, _ update: MemoryUpdate) async throws -> Memory? {
        try await change { rows in
            guard let known = try rows.find(id) else { return nil }
            if update.content != nil || update.type != nil || update.confidence != nil {
                try rows.keep(.edit, of: known)
            }
            return try rows.update(known, update)
        }
    }

    /// Deletes a memory. Its text stays for ``MemoryRows/undoSeconds``, so that the deletion can be undone.
    ///
    /// - Returns: false when the memory does not exist.
    package func delete(_ id: Int64) async throws -> Bool {
        try await change { rows in
            if let known = try rows.find(id, vectors: true) { try rows.keep(.forget, of: known) }
            return try rows.tables.delete(id)
        }
    }

    /// Sets the last access of memories to now, on which a search does not depend. Returns the number of these memories that
    /// exist.
    package func touch(_ ids: [Int64]) async throws -> Int {
        try await store.transaction { [store] session in try store.memoryTables(in: session).touch(ids) }
    }

    /// The error of undoing a memory that was not changed.
    private static func unchanged(_ id: Int64) -> StorageError {
        StorageError(.conflict, "memory \(id) was not changed")
    }

    /// Returns a memory of any state with its source and its changes; nil when it does not exist.
    package func history(_ id: Int64) async throws -> MemoryHistory? {
        try await read { [store] rows in
            guard let memory = try rows.find(id) else { return nil }
            let source = memory.details?.source
            let message = try source?.message.flatMap { try store.conversations(in: rows.session).message($0) }
            let changes = try rows.session.rows(
                """
                SELECT action, \(rows.session.dialect.bounded("content", 65_536)), reason, changed_at
                FROM gateway_memory_changes WHERE memory_id = $1 ORDER BY id DESC LIMIT 50
                """, [.integer(id)]
            ).compactMap { row in
                row.text(0).flatMap(MemoryChange.Action.init).map {
                    MemoryChange(
                        action: $0, content: row.text(1), reason: row.text(2),
                        at: Timestamp.iso8601(row.integer(3) ?? 0))
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
        try await change { rows in
            let session = rows.session
            try rows.forgetOld()
            let known = try rows.find(id)
            let row = try session.first(
                """
                SELECT id, action, content, type, confidence, session_id, embedding FROM gateway_memory_changes
                WHERE memory_id = $1 ORDER BY id DESC LIMIT 1
                """, [.integer(id)])
            guard let row, let action = row.text(1).flatMap(MemoryChange.Action.init),
                (known == nil) == (action == .forget)
            else {
                guard known != nil else { return nil }
                throw Self.unchanged(id)
            }
            switch action {
            case .add:
                _ = try rows.tables.delete(id)
                try session.run("DELETE FROM gateway_memory_details WHERE memory_id = $1", [.integer(id)])
                try session.run(
                    """
                    UPDATE gateway_memory_details SET state = 'active', reason = NULL, superseded_by = NULL
                    WHERE superseded_by = $1
                    """, [.integer(id)])
                try session.run("DELETE FROM gateway_memory_changes WHERE memory_id = $1", [.integer(id)])
                return MemoryUndone(undone: action, memory: nil)
            case .update, .edit:
                if let known {
                    _ = try rows.update(
                        known, MemoryUpdate(content: row.text(2), type: row.text(3), confidence: row.real(4)))
                }
            case .supersede: try rows.activate(id)
            case .confirm:
                try session.run(
                    "UPDATE gateway_memory_details SET state = 'proposed' WHERE memory_id = $1", [.integer(id)])
            case .forget:
                let vector = row.bytes(6).flatMap { VectorBlob.decode($0, dimensions: $0.count / 4) }
                _ = try rows.insert(
                    NewMemory(
                        content: row.text(2) ?? "", type: row.text(3) ?? "fact", confidence: row.real(4),
                        sourceSessionID: row.text(5), embedding: vector), id: id)
            }
            try session.run("DELETE FROM gateway_memory_changes WHERE id = $1", [.integer(row.integer(0))])
            return MemoryUndone(undone: action, memory: try rows.find(id))
        }
    }

    /// Confirms what a model proposed. What it contradicts is superseded. A memory that holds stays as it is.
    ///
    /// - Returns: The memory; nil when it does not exist.
    /// - Throws: ``StorageError``: conflict when it was superseded.
    package func confirm(_ id: Int64) async throws -> Memory? {
        try await change { rows in
            guard let memory = try rows.find(id) else { return nil }
            switch memory.details?.state {
            case .proposed:
                try rows.keep(.confirm, of: memory)
                try rows.activate(id)
                let rivals = try rows.session.rows(
                    """
                    SELECT o.memory_id FROM gateway_memory_details o JOIN gateway_memory_details d ON d.key = o.key
                    WHERE d.memory_id = $1 AND d.is_single = 1 AND o.memory_id <> $1 AND o.state = 'active'
                    """, [.integer(id)]
                ).compactMap { $0.integer(0) }
                for rival in rivals {
                    try rows.supersede(rival, by: id, reason: "replaced by \"\(memory.content)\"")
                }
                return try rows.find(id)
            case .superseded: throw StorageError(.conflict, "memory \(id) holds no longer")
            case .active, nil: return memory
            }
        }
    }
}
