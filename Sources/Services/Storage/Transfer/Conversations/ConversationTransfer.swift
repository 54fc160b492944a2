/// The chat sessions, messages and memories of a store, for a migration.
package protocol ConversationTransfer: Sendable {
    var sessions: any TransferTable<SessionRecord> { get }
    /// The messages of one session.
    func messages(of session: TextKey) -> any TransferTable<MessageRecord>
    var memories: any TransferTable<MemoryRecord> { get }

    func counts() async throws -> ConversationCounts
    /// The highest numbers that messages and memories have or had, also those that are not moved.
    func highest() async throws -> ConversationNumbers
    /// Makes new rows get higher numbers than these.
    func reserve(_ numbers: ConversationNumbers, _ state: TransferState) async throws
}

/// The numbers of rows of a store.
package struct ConversationCounts: Sendable, Hashable {
    package var sessions: Int
    /// Messages of all sessions.
    package var messages: Int
    package var memories: Int

    package init(sessions: Int, messages: Int, memories: Int) {
        self.sessions = sessions
        self.messages = messages
        self.memories = memories
    }
}

/// The highest ids of rows; 0 without rows.
package struct ConversationNumbers: Sendable, Hashable {
    package var message: Int64
    package var memory: Int64

    package init(message: Int64, memory: Int64) { (self.message, self.memory) = (message, memory) }
}
