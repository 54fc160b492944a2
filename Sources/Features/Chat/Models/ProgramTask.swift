import ChatRoom
import Inference

/// What a client's program asks for itself, such as a title for a conversation: answered by the model alone, and not kept.
struct ProgramTask: Sendable {
    /// How such requests of Open WebUI begin.
    private static let mark = "### Task:"

    /// Whether a question is such a request.
    static func covers(_ question: String) -> Bool { question.hasPrefix(mark) }

    let providers: ChatProviders
    let question: ModelQuestion
    /// The full name of the model.
    let model: String

    /// The model's answer.
    ///
    /// - Throws: ``UpstreamError``, `CancellationError`.
    func answer(for owner: RunOwner) async throws -> String {
        let (provider, name) = providers.resolve(model)
        var turns: [ChatTurn] = question.instructions.map { .system($0) }
        turns += question.messages.map { $0.isUser ? .user($0.text) : .assistant(ChatReply(text: $0.text)) }
        let answer = SideAnswer()
        try await provider.chat(
            ModelChatRequest(model: name, turns: turns), for: owner.caller
        ) { await answer.take($0) }
        if let usage = await answer.usage { owner.charge(model, usage.promptTokens ?? 0, usage.completionTokens ?? 0) }
        return await answer.text
    }
}
