import GatewayAPI
package import Inference

/// What the program behind a run brings with its request. Nothing of it is stored.
package struct RunClient: Sendable, Hashable {
    /// Whether the reader of the answer shows what the model thinks.
    package var showsThoughts = false
    /// The tools that the program carries out.
    package var tools: [ChatTool] = []
    /// The model's calls of them since the question, and their results.
    package var turns: [ChatTurn] = []

    package init() {}
}

/// What a run had before it was continued.
struct RunBeginning: Sendable {
    /// Bytes of its text.
    var bytes = 0
    var tokens: ChatTokens?
}
