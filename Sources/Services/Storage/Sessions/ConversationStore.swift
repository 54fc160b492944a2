package import ChatRoom
package import GatewayAPI

/// Where clients keep chat sessions, their messages, and memories: the SQLite file, or a database that several gateways share.
///
/// Both have the same order, cursors, limits and errors. Methods throw ``StorageError`` for what the file's stores document,
/// and a shared database's own error while it is away.
package protocol ConversationStore: ChatStore {
    associatedtype Sessions: ConversationSessions
    associatedtype Messages: ConversationMessages
    associatedtype Memories: ConversationMemories

    var sessions: Sessions { get }
    var messages: Messages { get }
    var memories: Memories { get }
}

/// The sessions of a ``ConversationStore``; see ``SessionStore``.
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

/// The messages of a ``ConversationStore``; see ``MessageStore``.
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

/// The memories of a ``ConversationStore``; see ``MemoryStore``.
package protocol ConversationMemories: Sendable {
    /// A number that is another one after each change of what a search finds, whichever process made it.
    func version() async throws -> Int64
    /// Returns a page by confidence, then by last use.
    func page(
        embeddings: Bool, state: MemoryDetails.State?, type: String?, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<Memory>
    /// Returns those that hold, in any order.
    func find(ids: [Int64]) async throws -> [Memory]
    /// Calls a closure with those that hold and changed since the last look, or with all, newest first.
    func look(
        after position: Int64?, limit: Int,
        _ body: @escaping @Sendable (_ memory: Memory, _ vector: [Float]?) -> Void
    ) async throws -> MemoryLook
    func create(_ new: NewMemory) async throws -> Memory
    /// Changes a memory; returns nil when it does not exist.
    func update(_ id: Int64, _ change: MemoryUpdate) async throws -> Memory?
    /// Deletes a memory, for a time so that it can come back; returns false when it does not exist.
    func delete(_ id: Int64) async throws -> Bool
    /// Sets the last use to now; returns the number of ids that exist.
    func touch(_ ids: [Int64]) async throws -> Int
    /// Returns the memories that chats always get: those that a person pinned, then those of some subjects. Nil when there
    /// are no memories at all.
    func always(keys: [String], limit: Int) async throws -> [Memory]?
    func history(_ id: Int64) async throws -> MemoryHistory?
    func undo(_ id: Int64) async throws -> MemoryUndone?
    func confirm(_ id: Int64) async throws -> Memory?
}

extension GatewayDatabase: ConversationStore {}
extension SessionStore: ConversationSessions {}
extension MessageStore: ConversationMessages {}

extension MemoryStore: ConversationMemories {
    package func version() async throws -> Int64 { try await database.changes.dataVersion() }
}
