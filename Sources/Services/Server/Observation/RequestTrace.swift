import Access
import Synchronization

/// The ``RequestFacts`` of a request to a route of the gateway's own, noted from any task.
package final class RequestTrace: Sendable {
    private let state = Mutex(RequestFacts())

    /// The current facts.
    var facts: RequestFacts { state.withLock { $0 } }

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
        state.withLock { $0.sent(position: position, waited: waited) }
    }

    /// Records the first byte of the upstream's answer.
    package func upstreamAnswered() { state.withLock { $0.answered() } }

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
