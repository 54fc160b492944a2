package import GatewayAPI

/// A conversation for a model to continue, in a form independent of the provider.
package struct ModelChatRequest: Sendable, Hashable {
    /// The model's name at its provider, without the provider's name.
    package var model: String
    /// The conversation, oldest first. Only the first message may be ``ChatTurn/system(_:)``.
    package var turns: [ChatTurn]
    /// The tools that the model may call; empty for none.
    package var tools: [ChatTool] = []
    /// Passages that come with the last question, for models with ``ChatCapabilities/cites``: their citations come as
    /// text, ` [1]` with the passage's number. Providers without citations of their own leave them out.
    package var passages: [CitablePassage] = []
    /// A JSON Schema that the answer must match; nil for free text.
    package var format: JSONValue?
    /// The maximum tokens of the answer; nil for the provider's default.
    package var maxTokens: Int?
    /// The size of the context in tokens, for providers that let the client choose it; nil for the default.
    package var contextTokens: Int?
    /// The sampling temperature; nil for the model's default.
    package var temperature: Double?
    /// Whether the model thinks before it answers; nil for its default.
    package var thinks: Bool?

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

    package init(text: String, calls: [ChatCall] = [], continuation: JSONValue? = nil) {
        self.text = text
        self.calls = calls
        self.continuation = continuation
    }
}

/// A call of a tool.
package struct ChatCall: Sendable, Hashable {
    /// The provider's id; empty when the provider gives none.
    package var id: String
    /// The tool's name, unchecked.
    package var name: String
    /// The arguments, unchecked: an object, or `.string` with the text when it is not valid JSON.
    package var arguments: JSONValue

    package init(id: String, name: String, arguments: JSONValue) {
        self.id = id
        self.name = name
        self.arguments = arguments
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

/// A tool as a model sees it.
package struct ChatTool: Sendable, Hashable {
    /// The name, 1 to 64 ASCII letters, digits, `_` and `-`.
    package var name: String
    /// The purpose, for the model.
    package var summary: String
    /// The JSON Schema of the arguments, an object.
    package var parameters: JSONValue

    package init(name: String, summary: String, parameters: JSONValue) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
    }
}
