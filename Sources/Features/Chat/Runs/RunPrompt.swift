import GatewayAPI
import Inference
import Storage

/// The conversation with the model, and the parts of its first request.
struct RunPrompt {
    /// The messages before the question, oldest first.
    var history: ArraySlice<Message> = []
    /// The passages that came with them.
    var earlier = EarlierPassages()
    /// The summary of the beginning of the history.
    var summary: HistorySummary?
    /// The passages that the search found, before those that fit are numbered.
    var candidates: [ChatPassage] = []
    /// What the model can do. Until that is known, nothing private is used.
    var capabilities = ChatCapabilities(tools: false, thinking: false, isRemote: true)
    /// The messages and the summary that the provider must not get.
    private(set) var withheld: [ChatLeftOut] = []
    /// What the model has been told; empty before its first request.
    var turns: [ChatTurn] = []
    /// The passages of earlier questions that the model has.
    private(set) var kept: [ChatPassage] = []
    /// The tools of the last request.
    var tools: [ChatTool] = []
    /// The size of the model's context in tokens.
    private(set) var context: Int?
    /// The last message that a summary should cover, because the prompt left messages out; nil for none.
    var compressThrough: Int64?
    /// The text of the first request, until its tokens were counted.
    var uncounted: String?

    /// Begins the conversation with the model.
    mutating func begin(_ first: PromptAssembly.Prompt) {
        turns = first.turns
        kept = first.kept
        earlier.forgetTexts()
        context = first.context
        compressThrough = first.compressThrough
        uncounted = first.text
    }

    /// Withholds messages, and the summary unless it may leave this machine. What was withheld before is not counted
    /// again.
    mutating func withhold(_ found: PrivateMessages, summaryMayLeave: Bool) {
        let count = found.withhold(from: &history)
        if count > 0 { withheld.append(ChatLeftOut(part: "history", count: count)) }
        guard summary != nil, !summaryMayLeave else { return }
        summary = nil
        withheld.append(ChatLeftOut(part: "summary", count: 1))
    }
}
