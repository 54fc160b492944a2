import Synchronization
import Upstream

/// What one request to a route of the gateway's own tells of itself while it is answered.
final class RequestTrace: Sendable {
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
    func use(model: String) {
        state.withLock { state in
            state.isInference = true
            state.model = model
        }
    }

    /// Notes that the request asks for a place at the upstream.
    func queue() { state.withLock { $0.phase = .queued } }

    /// Notes that it has one.
    func granted(_ permit: Admission.Permit) {
        state.withLock { state in
            state.phase = .waiting
            state.queued = permit.waited
            state.position = permit.position
            state.grantedAt = .now
        }
    }

    /// Notes that the upstream began to answer.
    func upstreamAnswered() {
        state.withLock { state in
            guard let granted = state.grantedAt, state.firstByte == nil else { return }
            state.firstByte = ContinuousClock.now - granted
        }
    }

    /// Notes that the upstream failed after the response had begun.
    func upstreamBroke() { state.withLock { $0.isBroken = true } }

    /// Notes how far the response is.
    func enter(_ phase: RequestOutcome.Phase) { state.withLock { $0.phase = phase } }

    /// Notes how long a stage took.
    func stage(_ name: String, _ duration: Duration) { state.withLock { $0.stages.append((name, duration)) } }

    /// Notes tokens as Ollama counted them.
    func tokens(prompt: Int, generated: Int) {
        state.withLock { state in
            state.promptTokens = prompt
            state.generatedTokens = generated
        }
    }

    /// Notes how long the model took to load.
    func loaded(in duration: Duration) { state.withLock { $0.load = duration } }
}

extension Identity {
    /// The name for logs: a key's own, or what stands for one.
    var name: String {
        switch holder {
        case .unknown: "none"
        case .anonymous: "anonymous"
        case .token: "token"
        case .key(_, let name): name
        }
    }
}
