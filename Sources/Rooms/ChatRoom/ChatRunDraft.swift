package import GatewayAPI

/// A checked request for a run, before it is stored.
package struct ChatRunDraft: Sendable {
    /// The id that the client chose.
    package var id: String
    /// The session; nil for a new one.
    package var session: String?
    /// The message that the question follows; ``FieldUpdate/keep`` for the session's latest, clear for none.
    package var parent: FieldUpdate<Int64>
    package var question: String
    /// The full name of the model.
    package var model: String
    /// The other fields of the request as JSON, to continue the run later.
    package var request: String
    /// The key that pays; nil for none.
    package var key: Int64?
    /// What was said between the parent and the question, oldest first: it is stored with the question.
    package var earlier: [EarlierMessage]

    package init(
        id: String, session: String?, parent: FieldUpdate<Int64>, question: String, model: String, request: String,
        key: Int64?, earlier: [EarlierMessage] = []
    ) {
        self.id = id
        self.session = session
        self.parent = parent
        self.question = question
        self.model = model
        self.request = request
        self.key = key
        self.earlier = earlier
    }
}

/// A message of a conversation that another program kept.
package struct EarlierMessage: Sendable, Hashable {
    /// Whether the person wrote it, not a model.
    package var isUser: Bool
    package var text: String

    package init(isUser: Bool, text: String) { (self.isUser, self.text) = (isUser, text) }

    /// The role in the table of messages.
    package var role: String { isUser ? "user" : "assistant" }
}

/// Where the text of a run's answer came from.
package struct ChatRunSources: Sendable, Hashable {
    /// The notes of the passages in its prompt.
    package var notes: Set<Int64>
    /// See ``ChatRunDraft/request``.
    package var request: String
    /// The full name of the model.
    package var model: String
    /// Whether its prompt had memories.
    package var hasMemories = false
    /// The tools whose results the model got.
    package var tools: Set<String> = []

    /// The sources that a run's row has.
    package init(_ record: ChatRecord, request: String, model: String) {
        notes = Set(record.passages.compactMap(\.note) + record.kept)
        (self.request, self.model, hasMemories) = (request, model, !record.memories.isEmpty)
        tools = Set(record.tools.filter { ![.refused, .failed].contains($0.state) }.map(\.name))
    }
}

/// What became of a request for a run.
package enum ChatRunStart: Sendable, Hashable {
    /// The run is new.
    case begun(StoredChatRun)
    /// A run with this id and question exists.
    case known(StoredChatRun)
    /// A run with this id answers another question.
    case idInUse
    /// Another run of the session has not ended.
    case busy(run: String)
    /// The session has no such message to follow.
    case unknownParent
}

/// What a run stores while it answers, and at its end.
package struct ChatRunProgress: Sendable {
    package var state: ChatRun.State
    /// The text so far.
    package var text: String
    /// Everything beside the text.
    package var record: ChatRecord
    /// Why the run failed.
    package var error: String?
    /// Why the run was stopped.
    package var stopReason: String?

    package init(
        state: ChatRun.State, text: String, record: ChatRecord, error: String? = nil, stopReason: String? = nil
    ) {
        self.state = state
        self.text = text
        self.record = record
        self.error = error
        self.stopReason = stopReason
    }
}
