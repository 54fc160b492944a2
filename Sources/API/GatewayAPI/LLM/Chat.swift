/// The body of Ollama's `POST /api/chat`, which the gateway forwards.
public struct ChatRequest: Codable, Sendable, Hashable {
    /// An Ollama model name.
    public var model: String
    /// The conversation, oldest first.
    public var messages: [ChatMessage]
    /// Whether to stream; Ollama streams when absent.
    public var stream: Bool?
    /// `"json"` or a JSON schema. A model writes the members in the order of the properties: that of `required`, then by name.
    public var format: JSONValue?
    /// Ollama runner options such as `num_ctx` and `temperature`.
    public var options: [String: JSONValue]?
    /// How long the model stays loaded: seconds, or a duration such as `"5m"`.
    public var keepAlive: JSONValue?
    /// Whether a thinking model thinks, or how much.
    public var think: JSONValue?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case model, messages, stream, format, options
        case keepAlive = "keep_alive"
        case think
    }

    /// Creates a request.
    public init(
        model: String, messages: [ChatMessage], stream: Bool? = nil, format: JSONValue? = nil,
        options: [String: JSONValue]? = nil, keepAlive: JSONValue? = nil, think: JSONValue? = nil
    ) {
        self.model = model
        self.messages = messages
        self.stream = stream
        self.format = format
        self.options = options
        self.keepAlive = keepAlive
        self.think = think
    }
}

/// One message of a conversation with a model.
public struct ChatMessage: Codable, Sendable, Hashable {
    /// `system`, `user`, `assistant` or `tool`.
    public var role: String
    /// The text, or in a stream the next piece of the text.
    public var content: String
    /// The reasoning of a thinking model, separate from the text.
    public var thinking: String?
    /// Base64 images for multimodal models.
    public var images: [String]?

    /// Creates a message.
    public init(role: String, content: String, thinking: String? = nil, images: [String]? = nil) {
        self.role = role
        self.content = content
        self.thinking = thinking
        self.images = images
    }

    private enum CodingKeys: String, CodingKey { case role, content, thinking, images }

    /// Decodes a message; the text may be missing in a piece of a stream.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        role = try container.decodeIfPresent(String.self, forKey: .role) ?? "assistant"
        content = try container.decodeIfPresent(String.self, forKey: .content) ?? ""
        thinking = try container.decodeIfPresent(String.self, forKey: .thinking)
        images = try container.decodeIfPresent([String].self, forKey: .images)
    }
}

/// One line of a streamed chat.
public struct ChatChunk: Codable, Sendable, Hashable {
    /// The model that answers.
    public var model: String
    /// The next piece of the answer.
    public var message: ChatMessage
    /// Whether this is the last line.
    public var isDone: Bool
    /// Why the answer ended; only in the last line.
    public var doneReason: String?
    /// Evaluated prompt tokens; only in the last line.
    public var promptTokens: Int?
    /// Generated tokens; only in the last line.
    public var completionTokens: Int?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case model, message
        case isDone = "done"
        case doneReason = "done_reason"
        case promptTokens = "prompt_eval_count"
        case completionTokens = "eval_count"
    }

    /// Creates a line.
    public init(
        model: String, message: ChatMessage, isDone: Bool = false, doneReason: String? = nil, promptTokens: Int? = nil,
        completionTokens: Int? = nil
    ) {
        self.model = model
        self.message = message
        self.isDone = isDone
        self.doneReason = doneReason
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
    }
}
