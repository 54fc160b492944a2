package import GatewayAPI

/// A summary of a message and all messages that it follows.
package struct ChatSummary: Sendable, Hashable {
    /// The last message that the summary covers.
    package var message: Int64
    package var text: String
    /// The notes whose text was in the messages, ascending.
    package var notes: [Int64]
    /// The full name of the model that wrote it.
    package var model: String

    package init(message: Int64, text: String, notes: [Int64], model: String) {
        self.message = message
        self.text = text
        self.notes = notes
        self.model = model
    }
}

/// What was said before a question.
package struct ChatConversation: Sendable {
    /// The messages, oldest first.
    package var messages: ArraySlice<Message>
    /// The summary that reaches furthest along the messages; nil for none.
    package var summary: ChatSummary?
    /// The summary that another program wrote; nil for none.
    package var foreignSummary: String?

    package init(messages: ArraySlice<Message>, summary: ChatSummary? = nil, foreignSummary: String? = nil) {
        (self.messages, self.summary, self.foreignSummary) = (messages, summary, foreignSummary)
    }
}

/// A session whose old messages wait for a summary.
package struct PendingCompression: Sendable, Hashable {
    /// The session's id.
    package var session: String
    /// The last message to cover.
    package var message: Int64
    /// The full name of the model that summarises.
    package var model: String
    /// The key that pays; nil for none.
    package var key: Int64?
    /// Attempts that failed.
    package var attempts: Int
    /// When the next attempt is due, in milliseconds since 1970; nil after the last one failed.
    package var dueAt: Int64?

    package init(session: String, message: Int64, model: String, key: Int64?, attempts: Int, dueAt: Int64?) {
        (self.session, self.message, self.model) = (session, message, model)
        (self.key, self.attempts, self.dueAt) = (key, attempts, dueAt)
    }
}
