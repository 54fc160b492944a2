import ChatRoom
import GatewayAPI
import Inference
import Prompts
import Tools

/// What the prompts of a conversation have in common, whatever the question is.
extension RunBasis {
    /// The messages before a question, with the summary of their beginning.
    ///
    /// - Throws: ``StorageError``.
    func history(of before: ChatConversation) async throws -> (messages: ArraySlice<Message>, summary: HistorySummary?)
    {
        // A summary may tell of pages that the reader has not come to.
        guard !options.chatKind.needsBook else { return (try await ReadHistory.of(before.messages, in: engine), nil) }
        return (before.messages, HistorySummary.of(before))
    }

    func assembly(_ tools: [ChatTool], _ capabilities: ChatCapabilities) -> PromptAssembly {
        PromptAssembly(
            engine: engine, options: options, fence: fence,
            reader: .init(
                name: modelName, capabilities: capabilities, tools: tools,
                getsPrivateContext: hidden(capabilities) == nil))
    }
}

extension ChatConversation {
    /// What the person has said.
    var said: [String] { messages.filter { $0.role == "user" }.map(\.content) }
}

extension ToolRegistry {
    /// The tools as a model gets them.
    var forModel: [ChatTool] {
        tools.map { ChatTool(name: $0.name, summary: $0.summary, parameters: $0.arguments.json) }
    }
}
