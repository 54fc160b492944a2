package import GatewayAPI

/// A tool call requested by a model, in a form independent of the provider.
package struct ToolCall: Sendable, Hashable {
    /// The arguments as received.
    package enum Arguments: Sendable, Hashable {
        /// JSON text, as OpenAI's API sends it.
        case text(String)
        /// A JSON value, as Ollama's and Anthropic's send it.
        case value(JSONValue)
    }

    /// The provider's id; empty if absent.
    package var id: String
    /// The name of the tool, unchecked.
    package var name: String
    /// The arguments, unchecked.
    package var arguments: Arguments

    package init(id: String = "", name: String, arguments: Arguments) {
        self.id = id
        self.name = name
        self.arguments = arguments
    }
}

/// What to do with a call. Every call of a round gets a decision, so that each id has a result in the next request.
package enum ToolDecision: Sendable {
    /// Run the tool, then hand the text to ``ToolCallReader/record(_:for:)``.
    case run(CheckedCall)
    /// Run no tool: the same call was made before, and this text is the result.
    case answered(id: String, name: String, text: String)
    /// Run no tool: this text explains the error to the model.
    case refused(id: String, name: String, text: String)
}

/// A call that its tool's schema accepted.
package struct CheckedCall: Sendable {
    /// The provider's id, or one that the reader created; unique within a run.
    package let id: String
    /// The tool to run.
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
