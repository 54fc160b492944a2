/// The limits of the chat feature.
package enum ChatLimits {
    /// The largest question in UTF-8 bytes.
    package static let questionBytes = 64 << 10
    /// The longest id of a run.
    package static let idBytes = 64
    /// The runs that may be in progress at once.
    package static let runs = 512
    /// The runs of one key that may be in progress at once.
    package static let runsOfKey = 256
    /// The readers of all runs.
    package static let readers = 2048
    /// The readers with one key.
    package static let readersOfKey = 512
    /// The largest number of passages of the first search.
    package static let passages = 20
    /// The largest number of passages of a run, with those of tools.
    package static let allPassages = 64
    /// The end of the numbers that passages of a conversation have.
    package static let passageNumbers = 1 << 20
    /// The largest text of a thread or summary in the instructions, in UTF-8 bytes.
    package static let contextBytes = 8 << 10
    /// The tokens of the memories in a prompt, and their part of the context: one of so many.
    package static let (memoryTokens, memoryShare) = (400, 12)
    /// The memories that are looked at for a prompt: of the person's circumstances, and for the question.
    package static let (standingMemories, foundMemories) = (24, 12)
    /// The least similarity of a memory to a question.
    package static let memorySimilarity = 0.35
    /// The tokens of a model's proposals for memories.
    package static let proposalTokens = 512
    /// The calls of one turn that a client's program carries out.
    package static let callsOfClient = 32
    /// The time for one call of a tool.
    package static let toolTime = Duration.seconds(20)
    /// The time for the short requests to a model beside the answer: rewriting a question, naming citations.
    package static let sideRequestTime = Duration.seconds(20)
    /// The tokens of one tool's result.
    package static let toolResultTokens = 2000
    /// The books that one conversation may be about.
    package static let books = 64
    /// How often readers without news get a comment.
    package static let keepAlive = Duration.seconds(10)
    /// How often runs look at their deadlines.
    package static let tick = Duration.milliseconds(250)
    /// How often a process looks for requests to stop its runs.
    package static let beat = Duration.seconds(1)
    /// How long a request to stop a run waits for another gateway.
    package static let stopElsewhere = Duration.seconds(5)
    /// The longest summary of old messages, in tokens.
    package static let summaryTokens = 512
    /// The latest messages that a summary leaves out.
    package static let keptMessages = 4

    /// The fewest tokens of a prompt that is computed ahead, by estimate.
    static let prefillTokens = 1000
    /// The attempts to compute a prompt ahead, the pause before each, and the time after which none begins.
    static let (prefillAttempts, prefillPause) = (3, Duration.milliseconds(300))
    static let prefillPatience = Duration.seconds(300)

    /// The pause before another attempt to write a summary, after so many attempts; nil for no other attempt.
    static func compressionPause(after attempts: Int) -> Duration? {
        guard attempts < 6 else { return nil }
        return .seconds(1 << (2 * max(0, attempts - 1)))
    }

    /// The time for runs to store their text at shutdown.
    package static let shutdown = Duration.seconds(5)
}
