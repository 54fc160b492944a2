import Synchronization
import Transport

/// Adds up the tokens that embedding costs a caller. May be used from any task.
///
/// A call that begins charges an estimate at once, so that leaving early is not free. The upstream's own count replaces
/// the estimate when it arrives. A text in another request's call costs the same estimate. Cached texts are free. A
/// failed call is free unless it was cancelled because no request waited for it.
package final class EmbeddingCost: Sendable {
    private let total = Atomic<Int>(0)

    /// Creates a cost of 0 tokens.
    package init() {}

    /// The tokens so far.
    package var tokens: Int { max(0, total.load(ordering: .relaxed)) }

    /// Charges the estimate for texts and returns it.
    func begin(_ texts: some Sequence<String>) -> Int {
        let estimate = texts.reduce(0) { $0 + AnswerTokens.estimate(bytes: $1.utf8.count) }
        total.wrappingAdd(estimate, ordering: .relaxed)
        return estimate
    }

    /// Replaces an estimate by the upstream's count; a count of 0 keeps the estimate.
    func adjust(_ estimate: Int, counted: Int) {
        if counted > 0 { total.wrappingAdd(counted - estimate, ordering: .relaxed) }
    }

    /// Refunds an estimate, unless the call was cancelled because no request waited for it.
    func adjust(_ estimate: Int, failed error: UpstreamError) {
        if error.code != .cancelled { total.wrappingSubtract(estimate, ordering: .relaxed) }
    }
}
