package import Database
package import GatewayAPI

/// A store with chat sessions, their messages, and memories, whose tables are no room's: in a file another program writes them, too.
package protocol ChatStore: SQLStore {
    /// The sessions and messages as a session of this store sees them.
    func conversations(in session: any SQLSession) throws -> any ConversationTables
    /// The memories as a session of this store sees them.
    func memoryTables(in session: any SQLSession) throws -> any MemoryTables
    /// A number that is another one after each change of what a search of memories finds, whichever process made it.
    func memoryVersion() async throws -> Int64
    /// Makes sure that changes of memories are logged.
    func keepMemoryLog() async throws
}

extension ChatStore {
    /// The runs that answer questions.
    package var answers: AnswerRoom { AnswerRoom(self) }
    /// The summaries of old messages, and the sessions that wait for one.
    package var summaries: SummaryRoom { SummaryRoom(store: self) }
}

/// Chat sessions and their messages, for what a room reads and writes together with them in one transaction.
package protocol ConversationTables {
    /// Keeps other transactions from changing a session and its messages; returns false when it does not exist.
    func lock(_ session: String) throws -> Bool
    func create(_ session: String, title: String) throws
    /// Sets the time of a session's change, and its number of messages.
    func touch(_ session: String) throws

    func contains(_ message: Int64, of session: String) throws -> Bool
    /// Returns a message of any session; nil when there is none.
    func message(_ id: Int64) throws -> Message?
    func lastMessage(of session: String) throws -> Int64?
    /// Adds a message that follows another; nil for none. Returns its id.
    func add(_ role: String, _ content: String, to session: String, after parent: Int64?, run: String?) throws -> Int64
    /// Passes messages of all sessions, the one stored last first, until the body returns false. Their links are not read.
    func eachMessage(_ body: (Message) throws -> Bool) throws
    /// Passes the messages that clients keep as a JSON array in their sessions, and when a session changed, latest change first,
    /// until the body returns false.
    func eachArchive(_ body: (_ session: String, _ json: String, _ changedAt: String?) throws -> Bool) throws
    /// The sessions and their titles, latest change first.
    func titles(limit: Int) throws -> [(id: String, title: String)]
    /// Changes the text of a message; returns false when the session has no such message.
    func change(_ message: Int64, of session: String, to content: String) throws -> Bool
    /// A message and those that it follows, oldest first, at most ``AnswerRoom/maxHistory``. One that is not linked follows the
    /// message before it.
    func history(through message: Int64, of session: String) throws -> [Message]

    /// How the compression of a session is shown, and whether it has a summary.
    func compression(of session: String) throws -> (state: String?, hasSummary: Bool)
    /// Shows how a session's compression is; its time of change stays, so lists keep their order.
    func show(state: String, of session: String) throws
    /// Shows a summary in a session; its time of change stays.
    func show(summary: String, of session: String) throws
    /// The summary of a session that another program wrote; nil when there is none.
    func foreignSummary(of session: String) throws -> String?
}
