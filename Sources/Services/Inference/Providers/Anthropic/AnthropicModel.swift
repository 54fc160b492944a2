import GatewayAPI

/// What Anthropic's `/v1/models/:id` says about a model.
struct AnthropicModel: Sendable, Hashable {
    /// The `thinking.type` values that a request may have.
    var thinkingTypes: Set<String> = []
    /// Whether it cites passages.
    var cites = false
    /// The maximum of `max_tokens`; nil when unknown.
    var maxTokens: Int?
    /// The maximum tokens of a prompt; nil when unknown.
    var contextTokens: Int?

    /// Knows nothing.
    init() {}

    /// Reads an answer.
    init(_ value: JSONValue) {
        let types = value["capabilities"]?["thinking"]?["types"]
        thinkingTypes = Set(
            ["adaptive", "enabled", "disabled"].filter { types?[$0]?["supported"]?.flag == true })
        cites = value["capabilities"]?["citations"]?["supported"]?.flag == true
        maxTokens = value["max_tokens"]?.count
        contextTokens = value["max_input_tokens"]?.count
    }

    var canThink: Bool { thinkingTypes.contains("adaptive") || thinkingTypes.contains("enabled") }
}
