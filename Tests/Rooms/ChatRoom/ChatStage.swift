import ChatRoom
import GatewayAPI
import Machine
import Storage
import StoreTestSupport
import TestSupport

/// Answers in a store, opened twice as two gateways do.
struct ChatStage {
    private let stage: StoreStage

    var stores: [any GatewayStore] { stage.stores }
    var store: any GatewayStore { stage.store }
    var runs: AnswerRoom { store.answers }
    var summaries: SummaryRoom { store.summaries }

    /// Keeps the files until here.
    func end() { withExtendedLifetime(stage) {} }

    /// Makes an empty store; nil where there can be no server.
    init?(_ place: NotesPlace) async throws {
        guard let stage = try await StoreStage(place) else { return nil }
        self.stage = stage
    }

    static func draft(_ id: String, session: String? = "s", parent: FieldUpdate<Int64> = .keep) -> ChatRunDraft {
        ChatRunDraft(
            id: id, session: session, parent: parent, question: "q \(id)", model: "m", request: "r \(id)", key: nil)
    }

    /// Creates a session, or changes its title.
    func save(_ session: String) async throws {
        var change = SessionChange()
        change.title = "t"
        _ = try await store.sessions.save(session, change)
    }

    /// The messages of a session, oldest first.
    func messages(_ session: String) async throws -> [Message] {
        try await store.messages.page(of: session, after: nil, limit: 500)?.items ?? []
    }
}

extension AnswerRoom {
    /// - Parameter live: The runs that the worker's process works on.
    func begin(_ draft: ChatRunDraft, _ worker: WorkerName, live: Set<String> = []) async throws -> ChatRunStart {
        try await begin(draft, title: "t", as: worker) { live.contains($0) }
    }

    func end(
        _ id: String, _ state: ChatRun.State, _ text: String, _ record: ChatRecord = ChatRecord(), as worker: WorkerName
    ) async throws -> Int64? {
        try await end(id, ChatRunProgress(state: state, text: text, record: record), as: worker)
    }
}

extension ChatRunStart {
    /// The new run.
    var begun: StoredChatRun? { if case .begun(let run) = self { run } else { nil } }
    /// The run that exists.
    var known: StoredChatRun? { if case .known(let run) = self { run } else { nil } }
}
