package import GatewayAPI

/// The sessions of a ``GatewayStore``; see ``SessionStore``.
package protocol ConversationSessions: Sendable {
    /// Returns a page, latest change first.
    func page(after cursor: PageCursor?, limit: Int) async throws -> Page<Session>
    func find(_ id: String) async throws -> Session?
    /// Creates a session, or changes the given fields of one.
    func save(_ id: String, _ change: SessionChange) async throws -> Session
    func pin(_ id: String, _ isPinned: Bool) async throws -> Session?
    /// Deletes a session with its messages; returns false when it does not exist.
    func delete(_ id: String) async throws -> Bool
}

/// The messages of a ``GatewayStore``; see ``MessageStore``.
package protocol ConversationMessages: Sendable {
    /// Returns a page of a session, oldest first; nil when the session does not exist.
    func page(of session: String, after cursor: PageCursor?, limit: Int) async throws -> Page<Message>?
    /// Returns a page of a session, the one stored last first; nil when the session does not exist.
    func newestPage(of session: String, after cursor: PageCursor?, limit: Int) async throws -> Page<Message>?
    /// Returns a page of all sessions, newest first.
    func recent(after cursor: PageCursor?, limit: Int) async throws -> Page<Message>
    /// Returns a message; nil when there is none.
    func find(_ id: Int64) async throws -> Message?
    /// Adds a message; returns nil when the session does not exist.
    func add(to session: String, role: String, content: String) async throws -> Message?
}

extension SessionStore: ConversationSessions {}
extension MessageStore: ConversationMessages {}
