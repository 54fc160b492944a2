package import GatewayAPI

/// A part of a model's answer, in the order of arrival.
package enum ChatEvent: Sendable, Hashable {
    /// The request waits for a place at the upstream; 1 is next. Sent only when it has to wait.
    case waiting(place: Int)
    /// The request was sent to the upstream.
    case sent
    /// The model sent a piece of its thinking.
    case thinking(String)
    /// The model sent a piece of the answer.
    case text(String)
    /// The model wrote a piece of a call; only with ``ModelChatRequest/streamsCalls``.
    case callPiece(ChatCallPiece)
    /// The probabilities of the tokens of the next text: objects with `token`, `logprob`, `bytes` and `top_logprobs`, as
    /// Ollama and OpenAI write them.
    case probabilities([JSONSource])
    /// The model made a call; sent once the call is complete.
    case call(ChatCall)
    /// Tokens and times so far. Later ones replace earlier ones.
    case usage(ChatUsage)
    /// The model ended its turn; the last event.
    case ended(ChatEnd)
}

/// The tokens and times of a turn, as far as the provider tells.
package struct ChatUsage: Sendable, Hashable {
    /// Tokens of the prompt, cached ones included.
    package var promptTokens: Int?
    /// Tokens of the answer, with thinking.
    package var completionTokens: Int?
    /// The time to load the model.
    package var loadTime: Duration?
    /// The tokens of the prompt that the provider had cached.
    package var cachedTokens: Int?
    /// The tokens of the answer that were thinking.
    package var thinkingTokens: Int?

    package init(
        promptTokens: Int? = nil, completionTokens: Int? = nil, loadTime: Duration? = nil, cachedTokens: Int? = nil,
        thinkingTokens: Int? = nil
    ) {
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
        self.loadTime = loadTime
        self.cachedTokens = cachedTokens
        self.thinkingTokens = thinkingTokens
    }
}

/// How a turn ended.
package struct ChatEnd: Sendable, Hashable {
    /// Why the model stopped.
    package enum Reason: String, Sendable, Hashable {
        /// The answer is complete.
        case stop
        /// The answer reached the limit of tokens, or the context is full.
        case length
        /// The model waits for the results of its calls.
        case calls
        /// The provider withheld the answer.
        case refused
    }

    /// Why the model stopped.
    package var reason: Reason
    /// See ``ChatReply/continuation``.
    package var continuation: JSONValue?

    package init(_ reason: Reason, continuation: JSONValue? = nil) {
        self.reason = reason
        self.continuation = continuation
    }
}

/// What a model can do.
package struct ChatCapabilities: Sendable, Hashable {
    /// Whether it can call tools.
    package var tools: Bool
    /// Whether it can think before it answers.
    package var thinking: Bool
    /// The largest context in tokens; nil when unknown.
    package var contextTokens: Int?
    /// Whether a local provider sends the model's prompts to another server, as Ollama does for its cloud models.
    package var isRemote: Bool
    /// Whether it cites ``ModelChatRequest/passages`` by the provider's own means.
    package var cites: Bool

    package init(
        tools: Bool, thinking: Bool, contextTokens: Int? = nil, isRemote: Bool = false, cites: Bool = false
    ) {
        self.tools = tools
        self.thinking = thinking
        self.contextTokens = contextTokens
        self.isRemote = isRemote
        self.cites = cites
    }
}
