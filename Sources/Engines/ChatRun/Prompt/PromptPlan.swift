/// What could go into a prompt.
package struct PromptParts: Sendable, Hashable {
    /// A message of the conversation.
    package struct Message: Sendable, Hashable {
        package let text: String
        /// Whether the user wrote it.
        package let isUser: Bool

        /// Creates a message.
        package init(_ text: String, isUser: Bool) {
            self.text = text
            self.isUser = isUser
        }
    }

    /// The instructions.
    package var system: String
    /// The summary of what the history no longer has; nil when there is none.
    package var summary: String?
    /// The conversation, oldest first, without the question.
    package var history: [Message]
    /// The passages that were found, best first.
    package var passages: [String]
    /// The question.
    package var question: String

    /// Creates parts.
    package init(
        system: String, summary: String? = nil, history: [Message] = [], passages: [String] = [], question: String
    ) {
        self.system = system
        self.summary = summary
        self.history = history
        self.passages = passages
        self.question = question
    }
}

/// What goes into a prompt, in the order system, summary, history, passages, question.
package struct PromptPlan: Sendable, Hashable {
    /// Something that does not fit.
    package enum LeftOut: Sendable, Hashable {
        case summary(tokens: Int)
        /// Messages by their index, the oldest ones.
        case history(Range<Int>)
        /// A passage by its rank, from 0.
        case passage(Int, tokens: Int)
    }

    /// Whether the summary is in the prompt.
    package let usesSummary: Bool
    /// The messages that are in the prompt: the latest ones, from one of the user's on.
    package let history: Range<Int>
    /// The ranks of the passages that are in the prompt, ascending.
    package let passages: [Int]
    /// Estimated tokens of the prompt.
    package let tokens: Int
    /// What was left out. Every part is either in the prompt or here.
    package let leftOut: [LeftOut]
}

/// The instructions and the question alone are too long for the model.
package struct PromptOverflow: Error, Sendable, Hashable {
    /// Estimated tokens of both.
    package let needed: Int
    /// Tokens that the context has for a prompt.
    package let available: Int
}
