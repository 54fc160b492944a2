import Synchronization
public import Transport

/// What a request says about the endpoint that it went to.
enum EndpointOutcome: Sendable, Hashable {
    case success, failure
    /// It was cancelled, or failed for a reason that is not the endpoint's.
    case nothing

    /// What a response's status says. 503 is a full queue: the endpoint is busy, not broken.
    init(status: Int) { self = status < 500 ? .success : status == 503 ? .nothing : .failure }

    /// What a failure before the head of the response says.
    init(_ error: UpstreamError) {
        switch error.code {
        case .refused, .dns, .connectTimeout, .firstByteTimeout, .tls, .cut, .protocolViolation, .failed:
            self = .failure
        default: self = .nothing
        }
    }
}

/// A request's place at an endpoint, from the choice to the end of the response. Dropping it ends it.
public final class EndpointUse: Sendable {
    /// Where the request goes.
    public let endpoint: Endpoint
    private let isTrial: Bool
    private let state = Mutex((isReported: false, isOver: false))

    init(_ endpoint: Endpoint, isTrial: Bool) {
        self.endpoint = endpoint
        self.isTrial = isTrial
    }

    deinit { end() }

    /// Notes the head of the response, or why there is none.
    public func report(_ result: Result<Int, UpstreamError>) {
        let outcome: EndpointOutcome =
            switch result {
            case .success(let status): EndpointOutcome(status: status)
            case .failure(let error): EndpointOutcome(error)
            }
        state.withLock { $0.isReported = true }
        // The breaker has to know now, not when a long stream has ended; the place is kept until then.
        endpoint.learn(outcome, isTrial: isTrial)
    }

    /// Gives the place back; only the first call counts.
    public func end() {
        let before = state.withLock { state in
            defer { state.isOver = true }
            return state
        }
        if !before.isOver { endpoint.leave(isTrial: isTrial && !before.isReported) }
    }
}
