import Access
import Synchronization

/// The ``RequestFacts`` of a request to a route of the gateway's own, noted from any task.
package final class RequestTrace: Sendable {
    private let state = Mutex(RequestFacts())

    /// The facts now.
    var facts: RequestFacts { state.withLock { $0 } }

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
        state.withLock { $0.sent(position: position, waited: waited) }
    }

    /// Notes that the upstream began to answer.
    package func upstreamAnswered() { state.withLock { $0.answered() } }

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
