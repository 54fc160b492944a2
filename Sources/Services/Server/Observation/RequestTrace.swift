import Access
import Synchronization

/// What one request to a route of the gateway's own tells of itself while it is answered.
package final class RequestTrace: Sendable {
    /// The facts so far.
    struct Facts: Sendable {
        var phase = RequestOutcome.Phase.receiving
        var key: String?
        var isInference = false
        var model: String?
        var promptTokens: Int?
        var generatedTokens: Int?
        var load: Duration?
        var queued: Duration?
        var position: Int?
        var grantedAt: ContinuousClock.Instant?
        var firstByte: Duration?
        var isBroken = false
        /// Named stages in their order, for `Server-Timing`.
        var stages: [(name: String, duration: Duration)] = []
    }

    private let state = Mutex(Facts())

    /// The facts now.
    var facts: Facts { state.withLock { $0 } }

    /// Notes who asks.
    func identify(_ identity: Identity) { state.withLock { $0.key = identity.name } }

    /// Notes that a model works for the request.
    package func use(model: String) {
        state.withLock { state in
            state.isInference = true
            state.model = model
        }
    }

    /// Notes that the request asks for a place at the upstream.
    package func queue() { state.withLock { $0.phase = .queued } }

    /// Notes that it has one.
    package func granted(position: Int, waited: Duration) {
        state.withLock { state in
            state.phase = .waiting
            state.queued = waited
            state.position = position
            state.grantedAt = .now
        }
    }

    /// Notes that the upstream began to answer.
    package func upstreamAnswered() {
        state.withLock { state in
            guard let granted = state.grantedAt, state.firstByte == nil else { return }
            state.firstByte = ContinuousClock.now - granted
        }
    }

    /// Notes that the upstream failed after the response had begun.
    package func upstreamBroke() { state.withLock { $0.isBroken = true } }

    /// Notes how far the response is.
    package func enter(_ phase: RequestOutcome.Phase) { state.withLock { $0.phase = phase } }

    /// Notes how long a stage took.
    package func stage(_ name: String, _ duration: Duration) { state.withLock { $0.stages.append((name, duration)) } }

    /// Notes tokens as Ollama counted them.
    package func tokens(prompt: Int, generated: Int) {
        state.withLock { state in
            state.promptTokens = prompt
            state.generatedTokens = generated
        }
    }

    /// Notes how long the model took to load.
    package func loaded(in duration: Duration) { state.withLock { $0.load = duration } }
}
