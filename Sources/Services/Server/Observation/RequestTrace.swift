import Access
import Synchronization

/// Collects facts about a request to one of the gateway's own routes while it is answered.
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
        /// Named stages in order, for `Server-Timing`.
        var stages: [(name: String, duration: Duration)] = []
    }

    private let state = Mutex(Facts())

    /// The current facts.
    var facts: Facts { state.withLock { $0 } }

    /// Records the caller.
    func identify(_ identity: Identity) { state.withLock { $0.key = identity.name } }

    /// Records that a model works for the request.
    package func use(model: String) {
        state.withLock { state in
            state.isInference = true
            state.model = model
        }
    }

    /// Records that the request waits for a place at the upstream.
    package func queue() { state.withLock { $0.phase = .queued } }

    /// Records that the request got a place.
    package func granted(position: Int, waited: Duration) {
        state.withLock { state in
            state.phase = .waiting
            state.queued = waited
            state.position = position
            state.grantedAt = .now
        }
    }

    /// Records the first byte of the upstream's answer.
    package func upstreamAnswered() {
        state.withLock { state in
            guard let granted = state.grantedAt, state.firstByte == nil else { return }
            state.firstByte = ContinuousClock.now - granted
        }
    }

    /// Records that the upstream failed after the response had begun.
    package func upstreamBroke() { state.withLock { $0.isBroken = true } }

    /// Records the phase of the response.
    package func enter(_ phase: RequestOutcome.Phase) { state.withLock { $0.phase = phase } }

    /// Records the duration of a stage.
    package func stage(_ name: String, _ duration: Duration) { state.withLock { $0.stages.append((name, duration)) } }

    /// Records the tokens that Ollama counted.
    package func tokens(prompt: Int, generated: Int) {
        state.withLock { state in
            state.promptTokens = prompt
            state.generatedTokens = generated
        }
    }

    /// Records how long the model took to load.
    package func loaded(in duration: Duration) { state.withLock { $0.load = duration } }
}
