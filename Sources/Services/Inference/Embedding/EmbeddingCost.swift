import Synchronization
import Transport

/// Adds up the tokens that embedding costs whoever asks for it, from any task.
///
/// Texts of a call that began are charged an estimate at once, so that leaving does not make them free; the upstream's
/// own count takes its place when it comes. A text that another request's call embeds costs the same estimate. What the
/// cache answers is free, and so is a call that fails for another reason than that nobody waits for it any more.
public final class EmbeddingCost: Sendable {
    private let total = Atomic<Int>(0)

    /// Creates a cost of 0 tokens.
    public init() {}

    /// The tokens up to now.
    public var tokens: Int { max(0, total.load(ordering: .relaxed)) }

    /// Charges the estimate of texts, and returns it.
    func begin(_ texts: some Sequence<String>) -> Int {
        let estimate = texts.reduce(0) { $0 + AnswerTokens.estimate(bytes: $1.utf8.count) }
        total.wrappingAdd(estimate, ordering: .relaxed)
        return estimate
    }

    /// Puts what the upstream counted in the place of an estimate, which stays when it counted nothing.
    func settle(_ estimate: Int, counted: Int) {
        if counted > 0 { total.wrappingAdd(counted - estimate, ordering: .relaxed) }
    }

    /// Takes an estimate back, unless the call failed because nobody waits for it any more.
    func settle(_ estimate: Int, failed error: UpstreamError) {
        if error.code != .cancelled { total.wrappingSubtract(estimate, ordering: .relaxed) }
    }
}
