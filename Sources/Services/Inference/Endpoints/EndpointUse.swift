import Synchronization
package import Transport

/// What a request shows about the health of its endpoint.
enum EndpointOutcome: Sendable, Hashable {
    case success, failure
    /// No information: the request was cancelled, or failed for a reason outside the endpoint.
    case nothing

    /// Classifies a response status. 429 and 503 are a full queue: the endpoint is busy, not broken.
    init(status: Int) {
        self = EndpointUse.isBusy(status) ? .nothing : status < 500 ? .success : .failure
    }

    /// Classifies a failure before the response head.
    init(_ error: UpstreamError) {
        switch error.code {
        case .refused, .dns, .connectTimeout, .firstByteTimeout, .tls, .cut, .protocolViolation, .failed:
            self = .failure
        default: self = .nothing
        }
    }
}

/// A request's slot at an endpoint, from the choice to the end of the response. Dropping it releases the slot.
package final class EndpointUse: Sendable {
    /// The endpoint of the request.
    package let endpoint: Endpoint
    private let isTrial: Bool
    private let state = Mutex((isReported: false, isOver: false))

    /// Whether a status says that the endpoint has too much to do.
    static func isBusy(_ status: Int) -> Bool { status == 429 || status == 503 }

    init(_ endpoint: Endpoint, isTrial: Bool) {
        self.endpoint = endpoint
        self.isTrial = isTrial
    }

    deinit { end() }

    /// Reports the status of the response head, or the error before the head.
    ///
    /// - Parameter wait: The `Retry-After` of a busy endpoint. Until then requests prefer other endpoints.
    package func report(_ result: Result<Int, UpstreamError>, retryAfter wait: Duration? = nil) {
        if case .success(let status) = result, Self.isBusy(status), let wait { endpoint.rest(for: wait) }
        let outcome: EndpointOutcome =
            switch result {
            case .success(let status): EndpointOutcome(status: status)
            case .failure(let error): EndpointOutcome(error)
            }
        state.withLock { $0.isReported = true }
        // The breaker needs the outcome now, not at the end of a long stream; the slot is held until then.
        endpoint.learn(outcome, isTrial: isTrial)
    }

    /// Releases the slot; only the first call counts.
    package func end() {
        let before = state.withLock { state in
            defer { state.isOver = true }
            return state
        }
        if !before.isOver { endpoint.leave(isTrial: isTrial && !before.isReported) }
    }
}
