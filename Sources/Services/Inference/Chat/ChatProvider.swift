package import Transport

/// A service with models that chat: Ollama, or one with an OpenAI-compatible or Anthropic's API.
package protocol ChatProvider: Sendable {
    /// The name in `provider/model`, such as `ollama`.
    var name: String { get }
    /// Whether prompts stay on machines of the user. Private notes never enter a prompt to another provider.
    var isLocal: Bool { get }

    /// Computes prompts ahead on the user's machines; nil for a provider that does not.
    var prefill: PromptPrefill? { get }

    /// Looks up what a model can do.
    ///
    /// - Throws: ``UpstreamError``, with status 404 for an unknown model.
    func capabilities(of model: String) async throws(UpstreamError) -> ChatCapabilities

    /// Lists the provider's models, by their names at the provider.
    ///
    /// - Throws: ``UpstreamError``.
    func models() async throws(UpstreamError) -> [String]

    /// Sends a conversation and passes on the events of the answer as they arrive.
    ///
    /// The next event is read after `receive` returned, so a slow receiver holds the upstream back. Cancelling the task
    /// closes the upstream's connection. Attempts are repeated by the provider's rules only before the answer begins.
    ///
    /// - Parameters:
    ///   - caller: Takes a fair place in the queue of the upstream.
    ///   - receive: Gets each event; an error that it throws cancels the request and is rethrown.
    /// - Throws: ``UpstreamError``, and what `receive` throws.
    func chat(
        _ request: ModelChatRequest, for caller: AdmissionCaller,
        _ receive: @Sendable (ChatEvent) async throws -> Void
    ) async throws
}

extension ChatProvider {
    package var prefill: PromptPrefill? { nil }
}
