import Access
import Synchronization
import Telemetry

/// The ``RequestFacts`` of a request to a route of the gateway's own, noted from any task.
package final class RequestTrace: Sendable {
    private let state = Mutex(RequestFacts())
    private let subject = Mutex(AuditSubject?.none)
    private let stopping = Mutex((isStopped: false, action: (@Sendable () -> Void)?.none))

    /// The current facts.
    var facts: RequestFacts { state.withLock { $0 } }

    /// Records the trace of the request.
    func begin(_ span: RequestSpan) { state.withLock { $0.span = span } }

    /// Records the caller.
    func identify(_ identity: Identity) {
        state.withLock { $0.identify(identity) }
    }

    // MARK: Audit

    /// What the request changes; nil when its handler did not say.
    var audited: AuditSubject? { subject.withLock { $0 } }

    /// Records what the request changes; replaces an earlier subject.
    func audits(_ changed: AuditSubject) { subject.withLock { $0 = changed } }

    // MARK: Stopping

    /// Whether an administrator stopped the request.
    package var isStopped: Bool { stopping.withLock { $0.isStopped } }

    /// Sets what ends the work of the request when an administrator stops it; replaces an earlier action. Runs the action
    /// at once if the request was stopped before.
    func onStop(_ action: (@Sendable () -> Void)?) {
        let isStopped = stopping.withLock { stopping in
            stopping.action = action
            return stopping.isStopped
        }
        if isStopped { action?() }
    }

    /// Stops the request: its work is cancelled, now or when it next waits.
    func stop() {
        let action = stopping.withLock { stopping in
            stopping.isStopped = true
            return stopping.action
        }
        action?()
    }

    // MARK: Facts

    /// Records the code of the error that the client gets.
    func failed(_ code: String) { state.withLock { $0.error = code } }

    /// Records that a model works for the request.
    package func use(model: String) {
        state.withLock { state in
            state.isInference = true
            state.model = model
        }
    }

    /// Records that the request waits for a place at the upstream.
    package func queue() { state.withLock { $0.phase = .queued } }

    /// Records the position in the queue on arrival, and how the current one is looked up.
    package func queued(at place: Int, now: @escaping @Sendable () -> Int?) {
        state.withLock { ($0.place, $0.placeNow) = (place, now) }
    }

    /// Records that the request got a place.
    package func granted(position: Int, waited: Duration, expected: Duration = .zero) {
        state.withLock { $0.sent(position: position, waited: waited, expected: expected) }
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
