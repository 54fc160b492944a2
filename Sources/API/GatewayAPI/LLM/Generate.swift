/// The body of `POST /api/llm/generate`.
///
/// Absent fields take the gateway's default (`model`) or Ollama's (all others).
public struct GenerateRequest: Codable, Sendable, Hashable {
    /// The text to continue or answer. An empty prompt makes Ollama load the model.
    public var prompt: String
    /// An Ollama model name; the gateway's `SELENE_GENERATE_MODEL` when absent.
    public var model: String?
    /// Sampling temperature; sent as `options.temperature`, which it overrides.
    public var temperature: Double?
    /// A system prompt.
    public var system: String?
    /// `"json"` or a JSON schema. A model writes the members in the order of the properties: that of `required`, then by name.
    public var format: JSONValue?
    /// Ollama runner options such as `num_ctx` and `num_predict`.
    public var options: [String: JSONValue]?
    /// How long the model stays loaded: seconds, or a duration such as `"5m"`.
    public var keepAlive: JSONValue?
    /// Whether to stream; false when absent, unlike in Ollama.
    public var stream: Bool?
    /// Whether a thinking model thinks, or how much (`true`, `"low"`, …).
    public var think: JSONValue?
    /// Base64 images for multimodal models.
    public var images: [String]?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case prompt, model, temperature, system, format, options
        case keepAlive = "keep_alive"
        case stream, think, images
    }

    /// Creates a request; only `prompt` is required.
    public init(
        prompt: String, model: String? = nil, temperature: Double? = nil, system: String? = nil,
        format: JSONValue? = nil, options: [String: JSONValue]? = nil, keepAlive: JSONValue? = nil,
        stream: Bool? = nil, think: JSONValue? = nil, images: [String]? = nil
    ) {
        self.prompt = prompt
        self.model = model
        self.temperature = temperature
        self.system = system
        self.format = format
        self.options = options
        self.keepAlive = keepAlive
        self.stream = stream
        self.think = think
        self.images = images
    }
}

/// The reply of `POST /api/llm/generate` when it is not streamed.
public struct GenerateResponse: Codable, Sendable, Hashable {
    /// The whole generated text.
    public var response: String
    /// The model that answered.
    public var model: String
    /// Token counts and durations as Ollama reported them.
    public var usage: Usage
    /// Why generation ended, for example `stop`, `length` or `load`.
    public var doneReason: String?
    /// The reasoning of a thinking model, separate from the response.
    public var thinking: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case response, model, usage
        case doneReason = "done_reason"
        case thinking
    }

    /// Creates a reply.
    public init(
        response: String, model: String, usage: Usage, doneReason: String? = nil, thinking: String? = nil
    ) {
        self.response = response
        self.model = model
        self.usage = usage
        self.doneReason = doneReason
        self.thinking = thinking
    }

    /// Token counts and durations of one generation.
    public struct Usage: Codable, Sendable, Hashable {
        /// Evaluated prompt tokens; 0 when Ollama did not report them.
        public var promptTokens: Int
        /// Tokens generated.
        public var completionTokens: Int
        /// Durations of the stages, in milliseconds.
        public var durationsMilliseconds: Durations

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case promptTokens = "prompt_tokens"
            case completionTokens = "completion_tokens"
            case durationsMilliseconds = "durations_ms"
        }

        /// Creates a usage record.
        public init(promptTokens: Int, completionTokens: Int, durationsMilliseconds: Durations) {
            self.promptTokens = promptTokens
            self.completionTokens = completionTokens
            self.durationsMilliseconds = durationsMilliseconds
        }
    }

    /// The durations of Ollama's stages, converted from nanoseconds to milliseconds.
    public struct Durations: Codable, Sendable, Hashable {
        /// From the request's arrival to its end.
        public var total: Double
        /// Loading the model; near 0 when it was loaded already.
        public var load: Double
        /// Evaluating the prompt.
        public var prompt: Double
        /// Generating the response.
        public var generation: Double

        /// Creates a set of durations, in milliseconds.
        public init(total: Double, load: Double, prompt: Double, generation: Double) {
            self.total = total
            self.load = load
            self.prompt = prompt
            self.generation = generation
        }
    }
}

/// One line of a streamed generation.
public struct GenerateChunk: Codable, Sendable, Hashable {
    /// The model that generates.
    public var model: String
    /// The next piece of the answer.
    public var response: String
    /// The next piece of a thinking model's reasoning.
    public var thinking: String?
    /// Whether this is the last line.
    public var isDone: Bool
    /// Why generation ended; only in the last line.
    public var doneReason: String?
    /// Evaluated prompt tokens; only in the last line.
    public var promptTokens: Int?
    /// Generated tokens; only in the last line.
    public var completionTokens: Int?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case model, response, thinking
        case isDone = "done"
        case doneReason = "done_reason"
        case promptTokens = "prompt_eval_count"
        case completionTokens = "eval_count"
    }

    /// Creates a line.
    public init(
        model: String, response: String, thinking: String? = nil, isDone: Bool = false, doneReason: String? = nil,
        promptTokens: Int? = nil, completionTokens: Int? = nil
    ) {
        self.model = model
        self.response = response
        self.thinking = thinking
        self.isDone = isDone
        self.doneReason = doneReason
        self.promptTokens = promptTokens
        self.completionTokens = completionTokens
    }
}
