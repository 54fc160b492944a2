/// The candidate parts of a prompt.
package struct PromptParts: Sendable, Hashable {
    /// A message of the conversation.
    package struct Message: Sendable, Hashable {
        package let text: String
        /// Whether the user wrote it.
        package let isUser: Bool
        /// The passages that came with it, and may stay.
        package let found: [Passage]

        package init(_ text: String, isUser: Bool, found: [Passage] = []) {
            self.text = text
            self.isUser = isUser
            self.found = found
        }
    }

    /// A passage that a search found.
    package struct Passage: Sendable, Hashable {
        package let text: String
        /// Its number in the conversation; nil for one that has none yet.
        package let number: Int?

        package init(_ text: String, number: Int? = nil) {
            self.text = text
            self.number = number
        }
    }

    /// The instructions.
    package var system: String
    /// The summary of earlier messages that the history no longer contains; nil for none.
    package var summary: String?
    /// The conversation, oldest first, without the question.
    package var history: [Message]
    /// What is known of the person, which comes with the question; nil for nothing.
    package var memories: String?
    /// The passages found, best first.
    package var passages: [Passage]
    package var question: String

    package init(
        system: String, summary: String? = nil, history: [Message] = [], memories: String? = nil,
        passages: [Passage] = [], question: String
    ) {
        self.system = system
        self.summary = summary
        self.history = history
        self.memories = memories
        self.passages = passages
        self.question = question
    }
}

/// The parts included in a prompt, in the order system, summary, history, memories, passages, question.
package struct PromptPlan: Sendable, Hashable {
    /// A part that does not fit.
    package enum LeftOut: Sendable, Hashable {
        case summary(tokens: Int)
        case memories(tokens: Int)
        /// The oldest messages, by index.
        case history(Range<Int>)
        /// A passage by its rank, from 0.
        case passage(Int, tokens: Int)
    }

    /// Whether the prompt includes the summary.
    package let usesSummary: Bool
    /// The included messages: the latest ones, beginning with a user's message.
    package let history: Range<Int>
    /// By index of a message: the places of its passages that stand with it. Each passage stands once.
    package let kept: [Int: [Int]]
    /// Whether the prompt includes the memories.
    package let usesMemories: Bool
    /// The ranks of the passages that come with the question, ascending.
    package let passages: [Int]
    /// The ranks of those that stand with an earlier question.
    package let again: [Int]
    /// The estimated tokens of the prompt.
    package let tokens: Int
    /// The parts left out. Every part is either in the prompt or in this list.
    package let leftOut: [LeftOut]
}

/// The error when instructions and question alone are too long for the model.
package struct PromptOverflow: Error, Sendable, Hashable {
    /// The estimated tokens of both.
    package let needed: Int
    /// The tokens available for a prompt.
    package let available: Int
}
