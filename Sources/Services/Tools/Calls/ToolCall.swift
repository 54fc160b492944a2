package import GatewayAPI

/// A call that a model asked for, in a form that no provider owns.
package struct ToolCall: Sendable, Hashable {
    /// The arguments as they came.
    package enum Arguments: Sendable, Hashable {
        /// JSON text, as OpenAI's API sends it.
        case text(String)
        /// A JSON value, as Ollama's and Anthropic's send it.
        case value(JSONValue)
    }

    /// The provider's id; empty when it gives none.
    package var id: String
    /// The name of the tool, unchecked.
    package var name: String
    /// The arguments, unchecked.
    package var arguments: Arguments

    /// Creates a call.
    package init(id: String = "", name: String, arguments: Arguments) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }
}

/// What to do about a call. Every call of a round gets one, so that each id has its result in the next request.
package enum ToolDecision: Sendable {
    /// Run the tool, then hand the text to ``ToolCallReader/record(_:for:)``.
    case run(CheckedCall)
    /// Run nothing; this text is the result, because the same call was made before.
    case answered(id: String, name: String, text: String)
    /// Run nothing; this text tells the model what is wrong.
    case refused(id: String, name: String, text: String)
}

/// A call that its tool's schema has passed.
package struct CheckedCall: Sendable {
    /// The provider's id, or one that the reader made; unique within a run.
    package let id: String
    /// The tool.
    package let tool: Tool
    /// The arguments, coerced, with defaults.
    package let arguments: ToolArguments
    /// Equal for calls of the same tool with the same arguments.
    let signature: String

    /// Carries out the call.
    package func run(as caller: ToolCaller) async throws -> ToolResult {
        try await tool.handler(arguments, caller)
    }
}
