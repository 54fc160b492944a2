import ChatRun
import GatewayAPI
import Prompts
import Tools

/// The messages that one request to a model summarises.
struct CompressionChunk {
    /// The messages as the prompt has them.
    var turns: [ChatPrompts.Turn] = []
    /// The number of messages.
    var count: Int { turns.count }

    /// Takes messages from the first on, while they fit. A first message that is too long is cut.
    ///
    /// - Parameter tokens: The room for messages in tokens.
    init(_ messages: ArraySlice<Message>, tokens: Int, estimate: TokenEstimate) {
        var left = max(64, tokens)
        for message in messages {
            let role = message.role == "user" ? "author" : "assistant"
            let size = estimate.tokens(message.content) + ContextBudget.messageTokens
            guard size > left else {
                left -= size
                turns.append(.init(role: role, text: message.content))
                continue
            }
            guard turns.isEmpty else { return }
            let cut = ResultBudget(tokens: left, bytesPerToken: estimate.bytesPerToken).cut(message.content)
            turns.append(.init(role: role, text: cut.text))
            return
        }
    }
}
