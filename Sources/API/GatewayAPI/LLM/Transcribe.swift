/// The reply of `GET /api/llm/transcribe`.
public struct TranscriberStatus: Codable, Sendable, Hashable {
    /// Whether a model is set that turns speech into text.
    public var available: Bool
    /// The model; nil when none is set.
    public var model: String?

    /// Creates a reply.
    public init(model: String?) {
        available = model != nil
        self.model = model
    }
}

/// The reply of `POST /api/llm/transcribe`.
public struct Transcript: Codable, Sendable, Hashable {
    /// What was said.
    public var text: String
    /// The model that heard it.
    public var model: String
    /// The language that the model recognized, as it names it.
    public var language: String?

    /// Creates a reply.
    public init(text: String, model: String, language: String? = nil) {
        self.text = text
        self.model = model
        self.language = language
    }
}
