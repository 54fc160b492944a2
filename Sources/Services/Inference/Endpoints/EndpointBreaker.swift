import Foundation

/// What is known of an endpoint's circuit breaker.
package struct EndpointBreaker: Sendable, Hashable {
    /// The phase of a breaker.
    package enum State: String, Sendable, Hashable {
        /// The endpoint gets requests.
        case closed
        /// The endpoint gets none until its time is over.
        case open
        /// One request or probe finds out whether the endpoint recovered.
        case trial
    }

    /// The phase.
    package var state = State.closed
    /// When the phase began, in seconds since 1970; nil while the breaker was never open.
    package var since: Int64?
    /// When a trial may begin, in seconds since 1970; nil unless the breaker is open.
    package var nextTry: Int64?
    /// Consecutive failed requests.
    package var failedRequests = 0
    /// Consecutive failed probes.
    package var failedProbes = 0

    /// Takes over the state of a breaker after an event. Times are computed once for each change, so that a report of them
    /// changes only with the breaker.
    mutating func follow(_ breaker: CircuitBreaker, at now: ContinuousClock.Instant) {
        (failedRequests, failedProbes) = (breaker.failedRequests, breaker.failedProbes)
        guard breaker.state != state else { return }
        let seconds = Date().timeIntervalSince1970
        state = breaker.state
        since = Int64(seconds)
        nextTry = breaker.opensUntil.map { Int64((seconds + ($0 - now) / .seconds(1)).rounded(.up)) }
    }
}
