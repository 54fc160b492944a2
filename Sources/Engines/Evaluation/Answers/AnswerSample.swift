/// The figures of one answer of a model.
package struct AnswerSample: Codable, Sendable, Hashable {
    /// The prompt or question.
    package var subject: String
    package var model: String
    /// The number of the repetition, from 1.
    package var run: Int
    /// Whether the answer came to its end.
    package var isDone = true
    /// Why it did not.
    package var error: String?
    /// Milliseconds to the first token, with queue, search and loading of the model.
    package var firstTokenMilliseconds: Double?
    /// Milliseconds to the end.
    package var totalMilliseconds: Double?
    /// Tokens of all prompts of the answer.
    package var promptTokens: Int?
    /// Tokens that the model wrote.
    package var completionTokens: Int?
    /// Passages that the model could cite.
    package var passages = 0
    /// Sentences that claim something.
    package var claims = 0
    /// Claims that their citations support.
    package var supported = 0
    /// Claims about which the judge was asked; nil without a judge.
    package var judged: Int?
    /// Those of them that lost their support; nil without a judge.
    package var withdrawn: Int?
    /// Citations that the model wrote.
    package var citations = 0
    /// Citations of notes that do not exist.
    package var invented = 0
    package var toolCalls = 0
    /// Calls with a known tool and valid arguments.
    package var validCalls = 0
    /// Whether the answer is that the notes do not say; see ``RefusalDetector``.
    package var isRefusal = false

    private enum CodingKeys: String, CodingKey {
        case subject, model, run, error, passages, claims, supported, judged, withdrawn, citations, invented
        case isDone = "done"
        case firstTokenMilliseconds = "first_token_ms"
        case totalMilliseconds = "total_ms"
        case promptTokens = "prompt_tokens"
        case completionTokens = "completion_tokens"
        case toolCalls = "tool_calls"
        case validCalls = "valid_calls"
        case isRefusal = "refusal"
    }

    /// Creates the figures of a finished answer without any.
    package init(subject: String, model: String, run: Int) {
        self.subject = subject
        self.model = model
        self.run = run
    }

    /// Tokens a second from the first token to the end; nil without tokens or times.
    package var tokensPerSecond: Double? {
        guard let tokens = completionTokens, tokens > 0, let first = firstTokenMilliseconds,
            let total = totalMilliseconds, total > first
        else { return nil }
        return Double(tokens) / ((total - first) / 1000)
    }
}
