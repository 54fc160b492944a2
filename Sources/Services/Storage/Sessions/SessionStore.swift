import GRDB
public import GatewayAPI

/// Chat sessions.
public struct SessionStore: Sendable {
    let database: GatewayDatabase

    /// A page of the sessions, the latest first.
    ///
    /// - Throws: ``StorageError``, also when the cursor is another list's.
    public func page(after cursor: PageCursor? = nil, limit: Int) async throws -> Page<Session> {
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

    /// A session; nil when there is none of that id.
    public func find(_ id: String) async throws -> Session? {
        try await database.read { database, layout in try SessionRows(table: layout.schema.sessions).find(database, id)
        }
    }

    /// Makes or changes a session, in one transaction: nothing that another process writes meanwhile is lost.
    ///
    /// - Throws: ``StorageError``: `invalid` when a new session has no title.
    public func save(_ id: String, _ change: SessionChange) async throws -> Session {
        try await database.write { database, layout in
            try SessionRows(table: layout.schema.sessions).save(database, id, change)
        }
    }

    /// Pins a session, or takes the pin away.
    ///
    /// - Returns: nil when there is no such session.
    /// - Throws: ``StorageError``.
    public func pin(_ id: String, _ isPinned: Bool) async throws -> Session? {
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
    /// - Returns: false when there is no such session.
    /// - Throws: ``StorageError``.
    public func delete(_ id: String) async throws -> Bool {
        try await database.write { database, layout in
            let messages = layout.schema.messages
            try database.execute(sql: "DELETE FROM chat_sessions WHERE id = ?", arguments: [id])
            guard database.changesCount > 0 else { return false }
            if messages.names.contains("session_id") {
                try database.execute(sql: "DELETE FROM conversations WHERE session_id = ?", arguments: [id])
            }
            return true
        }
    }
}
