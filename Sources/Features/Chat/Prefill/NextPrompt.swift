import ChatRoom
import ChatRun
import GatewayAPI
import Inference
import Machine
import Prompts
import Storage
import Tools

/// The prompt of a question that may come, up to the question.
struct NextPrompt: Sendable {
    let subject: PrefillSubject
    /// The full name of the model.
    let model: String
    /// Has a word in the question's place: servers take a conversation that ends with an answer for one that the model goes on.
    let request: ModelChatRequest
    /// The conversation's last message; nil for a book's first question.
    private let message: Int64?

    /// What stands for the question.
    private static let placeholder = "…"

    /// Assumes that the next question of a session is like the last one: of its kind, for its model. That the first one about a book
    /// is as clients ask it.
    ///
    /// Nil when nothing should be computed ahead: the prompt is short or being answered, or the model is not sure to run on the
    /// user's machine.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError``.
    init?(for subject: PrefillSubject, of owner: RunOwner, _ engine: ChatEngine) async throws {
        guard let last = try await Self.run(before: subject, engine) else { return nil }
        let basis = RunBasis(
            last, options: .init(stored: last.request), owner: owner, engine: engine, worker: WorkerName()
        ) {}
        let (provider, model) = basis.model
        let capabilities = try await provider.capabilities(of: model)
        guard basis.assembly([], capabilities).reader.goesOn else { return nil }
        var before = ChatConversation(messages: [])
        if case .session(let session) = subject { before = try await engine.answers.conversation(of: session) }
        let tools = capabilities.tools ? await basis.tools.needed(in: before.said).forModel : []
        let found: (turns: [ChatTurn], context: Int)?
        do {
            found =
                switch subject {
                case .session: try await Self.begun(before, basis.assembly(tools, capabilities), basis)
                case .book: try await Self.begunWithBook(basis.assembly(tools, capabilities), capabilities, basis)
                }
        } catch is PromptOverflow {
            return nil
        }
        guard let begun = found else { return nil }
        let estimate = engine.estimates.withLock { $0[last.model] }
        let tokens = begun.turns.reduce(PromptAssembly.tokens(of: tools, estimate)) { $0 + estimate.tokens($1.text) }
        guard tokens >= ChatLimits.prefillTokens else { return nil }
        var request = ModelChatRequest(model: model, turns: begun.turns)
        request.tools = tools
        request.contextTokens = begun.context
        request.thinks = capabilities.thinking ? basis.options.thinks : nil
        (self.subject, self.model, self.request) = (subject, last.model, request)
        message = before.messages.last?.id
    }

    private static func begun(
        _ before: ChatConversation, _ assembly: PromptAssembly, _ basis: RunBasis
    ) async throws -> (turns: [ChatTurn], context: Int)? {
        guard !before.messages.isEmpty else { return nil }
        let (history, summary) = try await basis.history(of: before)
        let earlier = try await EarlierPassages(of: history, for: basis.options, in: basis.engine)
        let opening = try await assembly.opening(
            .init(question: "", history: Array(history), earlier: earlier, summary: summary))
        return (opening.turns + [.user(placeholder)], opening.context)
    }

    /// What was read of the book, which comes before the question where it fits whole.
    private static func begunWithBook(
        _ assembly: PromptAssembly, _ capabilities: ChatCapabilities, _ basis: RunBasis
    ) async throws -> (turns: [ChatTurn], context: Int)? {
        let search = BookSearch(tools: basis.engine.tools, caller: basis.caller(capabilities))
        guard let whole = try await search.wholeBook(context: assembly.context) else { return nil }
        let prompt = try await assembly.prompt(.init(question: placeholder, passages: whole))
        return (prompt.turns, prompt.context)
    }

    /// The full name of the model that a question is for; nil when none is to be expected.
    static func model(for subject: PrefillSubject, _ engine: ChatEngine) async throws -> String? {
        try await run(before: subject, engine)?.model
    }

    /// The run that the next one is like; nil when there is none, and while it is being answered.
    private static func run(before subject: PrefillSubject, _ engine: ChatEngine) async throws -> StoredChatRun? {
        switch subject {
        case .session(let session):
            let page = try await engine.answers.page(running: false, session: session, after: nil, limit: 1)
            return page.items.first.flatMap { [.done, .stopped].contains($0.state) ? $0 : nil }
        case .book(let id, _, let model):
            let options = RunPlan.Options(
                kind: ChatKind.book.rawValue, scope: ChatScope(book: .init([id])), tools: true, strict: false,
                limit: ChatKind.book.passages, thinks: nil)
            return StoredChatRun(
                id: "", session: "", question: "", model: model, request: try options.json(), key: nil, state: .done,
                text: "", record: ChatRecord(), life: 0, userMessage: nil, createdAt: "", updatedAt: "")
        }
    }

    /// What a server has when it has computed the prompt.
    func computed(requests: UInt64) -> Prefills.Computed {
        Prefills.Computed(subject: subject, message: message, model: model, requests: requests)
    }
}
