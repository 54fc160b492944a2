import ChatRoom
import ChatRun
import GatewayAPI
import Inference
import Machine
import Storage
import Tools

/// The next prompt of a conversation, up to its question.
struct NextPrompt: Sendable {
    let session: String
    /// The full name of the model.
    let model: String
    /// Ends with a word in the question's place: servers take a conversation that ends with an answer for one that the model goes on.
    let request: ModelChatRequest
    /// The conversation's last message.
    private let message: Int64

    /// Assumes that the next question is like the last one: of its kind, for its model.
    ///
    /// Nil when nothing should be computed ahead: the conversation is short or being answered, or the model is not sure to run on the
    /// user's machine.
    ///
    /// - Throws: ``StorageError``, ``UpstreamError``.
    init?(of session: String, for owner: RunOwner, _ engine: ChatEngine) async throws {
        guard let last = try await Self.lastRun(of: session, engine) else { return nil }
        let basis = RunBasis(
            last, options: .init(stored: last.request), owner: owner, engine: engine, worker: WorkerName()
        ) {}
        let (provider, model) = basis.model
        let capabilities = try await provider.capabilities(of: model)
        guard basis.sharesPrompts(capabilities) else { return nil }
        let before = try await engine.answers.conversation(of: session)
        guard let message = before.messages.last?.id else { return nil }
        let tools = capabilities.tools ? await basis.tools.needed(in: before.said).forModel : []
        let (history, summary) = try await basis.history(of: before)
        let parts = PromptAssembly.Parts(question: "", history: Array(history), summary: summary)
        let opening: (turns: [ChatTurn], context: Int)
        do {
            opening = try await basis.assembly(tools, capabilities).opening(parts)
        } catch is PromptOverflow {
            return nil
        }
        let estimate = engine.estimates.withLock { $0[last.model] }
        let tokens = opening.turns.reduce(PromptAssembly.tokens(of: tools, estimate)) {
            $0 + estimate.tokens($1.text)
        }
        guard tokens >= ChatLimits.prefillTokens else { return nil }
        var request = ModelChatRequest(model: model, turns: opening.turns + [.user("…")])
        request.tools = tools
        request.contextTokens = opening.context
        request.thinks = capabilities.thinking ? basis.options.thinks : nil
        (self.session, self.model, self.request, self.message) = (session, last.model, request, message)
    }

    /// The latest run of a session; nil when there is none, and when it is not answered.
    static func lastRun(of session: String, _ engine: ChatEngine) async throws -> StoredChatRun? {
        let last = try await engine.answers.page(running: false, session: session, after: nil, limit: 1).items.first
        return last.flatMap { [.done, .stopped].contains($0.state) ? $0 : nil }
    }

    /// What a server has when it has computed the prompt.
    func computed(requests: UInt64) -> Prefills.Computed {
        Prefills.Computed(session: session, message: message, model: model, requests: requests)
    }
}
