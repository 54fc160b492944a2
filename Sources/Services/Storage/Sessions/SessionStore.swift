import GRDB
package import GatewayAPI

/// Reads and writes chat sessions.
package struct SessionStore: Sendable {
    let database: GatewayDatabase

    /// The error of a new session without a title.
    package static let lacksTitle = StorageError(.invalid, "field \"title\": is required for a new session")

    /// Returns a page of the sessions, latest first.
    ///
    /// - Throws: ``StorageError``, also for a cursor of another list.
    package func page(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<Session> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await database.read { database, layout in
            let rows = SessionRows(table: layout.schema.sessions)
            let keys = try rows.keys(database, after: cursor, limit: limit + 1)
            let bytes = { (session: Session) in
                (session.messagesJSON?.utf8.count ?? 0) + (session.summaryText?.utf8.count ?? 0) + 512
            }
            return try Page(keys, limit: limit, bytes: bytes) { try rows.find(database, $0) }
        }
    }

    /// Returns a session; nil when there is none with that id.
    package func find(_ id: String) async throws -> Session? {
        try await database.read { database, layout in try SessionRows(table: layout.schema.sessions).find(database, id)
        }
    }

    /// Creates or changes a session in one transaction, so that concurrent writes of other processes are kept.
    ///
    /// - Throws: ``StorageError``: `invalid` when a new session has no title.
    package func save(_ id: String, _ change: SessionChange) async throws -> Session {
        try await database.write { database, layout in
            try SessionRows(table: layout.schema.sessions).save(database, id, change)
        }
    }

    /// Pins or unpins a session.
    ///
    /// - Returns: The session; nil when it does not exist.
    /// - Throws: ``StorageError``.
    package func pin(_ id: String, _ isPinned: Bool) async throws -> Session? {
        try await database.write { database, layout in
            let rows = SessionRows(table: layout.schema.sessions)
            guard try rows.find(database, id) != nil else { return nil }
            var change = SessionChange()
            change.isPinned = isPinned
            return try rows.save(database, id, change)
        }
    }

    /// Deletes a session and its messages.
    ///
    /// - Returns: false when the session does not exist.
    /// - Throws: ``StorageError``.
    package func delete(_ id: String) async throws -> Bool {
        try await database.write { database, layout in try Self.delete(id, database, layout) }
    }

    static func delete(_ id: String, _ database: Database, _ layout: FileLayout) throws -> Bool {
        let messages = layout.schema.messages
        try database.execute(sql: "DELETE FROM chat_sessions WHERE id = ?", arguments: [id])
        guard database.changesCount > 0 else { return false }
        if messages.names.contains("session_id") {
            try database.execute(sql: "DELETE FROM conversations WHERE session_id = ?", arguments: [id])
        }
        for table in ["gateway_message_links", "gateway_summaries", "gateway_compressions"] {
            try database.execute(sql: "DELETE FROM \(table) WHERE session_id = ?", arguments: [id])
        }
        try database.execute(
            sql: "DELETE FROM gateway_chat_runs WHERE session_id = ? AND owner IS NULL", arguments: [id])
        return true
    }
}
