package import GatewayAPI

/// A conversation for a model to continue, in a form independent of the protocol of client and provider.
package struct ModelChatRequest: Sendable, Hashable {
    /// The model's name at its provider, without the provider's name.
    package var model: String
    /// The conversation, oldest first. Instructions behind the first message are the user's where the API has one place
    /// for instructions only.
    package var turns: [ChatTurn]
    /// The tools that the model may call; empty for none.
    package var tools: [ChatTool] = []
    /// Which tools the model may or must call; nil for the provider's default.
    package var toolChoice: ChatToolChoice?
    /// Whether the model may make several calls at once; nil for the provider's default.
    package var callsInParallel: Bool?
    /// Passages that come with the last question, for models with ``ChatCapabilities/cites``: their citations come as
    /// text, ` [1]` with the passage's number. Providers without citations of their own leave them out.
    package var passages: [CitablePassage] = []
    /// The form of the answer; nil for free text.
    package var format: ChatFormat?
    /// The maximum tokens of the answer; nil for the provider's default.
    package var maxTokens: Int?
    /// The size of the context in tokens, for providers that let the client choose it; nil for the default.
    package var contextTokens: Int?
    /// The sampling temperature; nil for the model's default.
    package var temperature: Double?
    /// How tokens are chosen besides the temperature.
    package var sampling = ChatSampling()
    /// Whether the model thinks before it answers; nil for its default.
    package var thinks: Bool?
    /// How much the model thinks, in the words of its API, such as `low`; nil for its default.
    package var effort: String?
    /// Whether the answer comes with the probabilities of its tokens.
    package var givesProbabilities = false
    /// The number of other tokens of which each place has the probability, 0 to 20; nil for none.
    package var otherProbabilities: Int?
    /// Whether the pieces of a call are events of their own, before the whole call.
    package var streamsCalls = false

    /// Creates a request without tools and options.
    package init(model: String, turns: [ChatTurn]) {
        self.model = model
        self.turns = turns
    }
}

/// A message of a conversation.
package enum ChatTurn: Sendable, Hashable {
    /// Instructions.
    case system(String)
    /// What the user says.
    case user(String)
    /// What the user says in several parts, such as text and pictures.
    case parts([ChatPart])
    /// What the model answered, with its calls.
    case assistant(ChatReply)
    /// The result of a call. Results follow the reply that made the calls, in the calls' order.
    case toolResult(id: String, name: String, text: String, isError: Bool)
}

package struct ChatReply: Sendable, Hashable {
    /// The text; may be empty when there are calls.
    package var text: String
    /// The calls, in order.
    package var calls: [ChatCall]
    /// What the provider needs back to continue, such as signed thinking blocks; opaque to callers.
    package var continuation: JSONValue?
    /// What the model thought, as a client sends it back; empty when unknown.
    package var thinking: String

    package init(text: String, calls: [ChatCall] = [], continuation: JSONValue? = nil, thinking: String = "") {
        self.text = text
        self.calls = calls
        self.continuation = continuation
        self.thinking = thinking
    }
}

/// A passage that an answer may cite.
package struct CitablePassage: Sendable, Hashable {
    /// The number that citations have in the answer's text.
    package var number: Int
    /// The title of its source.
    package var title: String
    package var text: String

    package init(number: Int, title: String, text: String) {
        self.number = number
        self.title = title
        self.text = text
    }
}
