package import Database
package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An answer that was given to a question.
package struct PastAnswer: Sendable, Hashable {
    /// The run's id.
    package var run: String
    /// The session's id.
    package var session: String
    /// The message with the answer.
    package var message: Int64
    package var text: String
    /// Whether the run did not come to its end, so its reader may have less of the text.
    package var isCut: Bool
}

/// A run as the database has it.
package struct StoredChatRun: Sendable, Hashable {
    package var id: String
    /// The session's id.
    package var session: String
    package var question: String
    /// The full name of the model.
    package var model: String
    /// See ``ChatRunDraft/request``.
    package var request: String
    /// The key that pays; nil for none.
    package var key: Int64?
    /// The state. A run that has not ended belongs to a process.
    package var state: ChatRun.State
    /// The text of the answer.
    package var text: String
    /// Everything beside the text.
    package var record: ChatRecord
    /// Why the run failed.
    package var error: String?
    /// Why the run was stopped.
    package var stopReason: String?
    /// How often the run was continued.
    package var life: Int
    /// The message with the question.
    package var userMessage: Int64?
    /// The message with the answer; nil until the run has ended.
    package var message: Int64?
    /// The creation time in UTC.
    package var createdAt: String
    /// The time of the last change in UTC.
    package var updatedAt: String

    /// Creates a run from a row.
    package init(
        id: String, session: String, question: String, model: String, request: String, key: Int64?,
        state: ChatRun.State, text: String, record: ChatRecord, error: String? = nil, stopReason: String? = nil,
        life: Int, userMessage: Int64?, message: Int64? = nil, createdAt: String, updatedAt: String
    ) {
        (self.id, self.session, self.question, self.model) = (id, session, question, model)
        (self.request, self.key, self.state, self.text) = (request, key, state, text)
        (self.record, self.error, self.stopReason, self.life) = (record, error, stopReason, life)
        (self.userMessage, self.message, self.createdAt, self.updatedAt) = (userMessage, message, createdAt, updatedAt)
    }

    /// The columns of a run without its text and record, in the order of ``init(_:)``.
    static let listed = """
        id, session_id, key_id, state, question, request, model, error, stop_reason, life, user_message, message,
        created_at, updated_at
        """
    /// The columns that ``init(_:)`` reads, in their order.
    package static let columns = "\(listed), text, record"

    /// Nil for a row that another program wrote or changed beyond reading.
    package init?(_ row: SQLRow) {
        guard let id = row.text(0), let session = row.text(1), let state = row.text(3).flatMap(ChatRun.State.init)
        else { return nil }
        let record = row.bytes(15).flatMap { ChatRecord(json: Data($0)) }
        self.init(
            id: id, session: session, question: row.text(4) ?? "", model: row.text(6) ?? "",
            request: row.text(5) ?? "{}", key: row.integer(2), state: state, text: row.text(14) ?? "",
            record: record ?? ChatRecord(), error: row.text(7), stopReason: row.text(8), life: row.count(9),
            userMessage: row.integer(10), message: row.integer(11), createdAt: row.date(12) ?? "",
            updatedAt: row.date(13) ?? "")
    }
}
