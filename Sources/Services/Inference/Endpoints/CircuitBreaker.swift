/// Keeps requests away from a failing endpoint, and lets single trial requests through to detect recovery.
///
/// Opens after a number of consecutive failures of requests or of probes. Each time it opens again, the open time
/// doubles. After that time one request is the trial: its success closes the breaker, its failure opens it again. A
/// breaker that probes opened closes with the next successful probe, which is its trial. Pure: the caller passes the
/// time.
struct CircuitBreaker: Sendable {
    /// Consecutive failed requests that open the breaker.
    static let requestLimit = 3
    /// Consecutive failed probes that open the breaker.
    static let probeLimit = 2
    /// The first and the longest open time.
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(30)

    private enum Phase {
        case closed
        case open(until: ContinuousClock.Instant, byProbe: Bool)
        case trial(byProbe: Bool)
    }
    private var phase = Phase.closed
    /// Consecutive failed requests.
    private(set) var failedRequests = 0
    /// Consecutive failed probes.
    private(set) var failedProbes = 0
    private var backoff = CircuitBreaker.shortest

    /// The phase in a word.
    var state: EndpointBreaker.State {
        switch phase {
        case .closed: .closed
        case .open: .open
        case .trial: .trial
        }
    }

    /// When the next trial may begin; nil unless the breaker is open.
    var opensUntil: ContinuousClock.Instant? { if case .open(let until, _) = phase { until } else { nil } }

    /// Whether the endpoint is healthy.
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Whether the endpoint may get a request: always when closed, as the trial after the open time.
    func allows(at now: ContinuousClock.Instant) -> Bool {
        switch phase {
        case .closed: true
        case .open(let until, _): now >= until
        case .trial: false
        }
    }

    /// Records the start of a request; returns whether it is the trial.
    mutating func begin(at now: ContinuousClock.Instant) -> Bool {
        guard case .open(let until, let byProbe) = phase, now >= until else { return false }
        phase = .trial(byProbe: byProbe)
        return true
    }

    /// Records a successful request, trial or not.
    mutating func requestSucceeded() { self = CircuitBreaker() }

    /// Records a failed request.
    ///
    /// - Parameter isTrial: The result of ``begin(at:)`` for this request.
    mutating func requestFailed(isTrial: Bool, at now: ContinuousClock.Instant) {
        failedRequests += 1
        if isTrial || (isClosed && failedRequests >= Self.requestLimit) { open(byProbe: false, at: now) }
    }

    /// Records a request whose outcome says nothing about the endpoint.
    mutating func requestAbandoned(isTrial: Bool, at now: ContinuousClock.Instant) {
        guard isTrial, case .trial(let byProbe) = phase else { return }
        phase = .open(until: now, byProbe: byProbe)
    }

    /// Records a successful probe. A breaker that requests opened closes after the open time, but the next failure
    /// opens it.
    mutating func probeSucceeded(at now: ContinuousClock.Instant) {
        failedProbes = 0
        switch phase {
        case .open(_, byProbe: true), .trial(byProbe: true): self = CircuitBreaker()
        case .open(let until, byProbe: false) where now >= until:
            phase = .closed
            failedRequests = Self.requestLimit - 1
        default: break
        }
    }

    /// Records a failed probe.
    mutating func probeFailed(at now: ContinuousClock.Instant) {
        failedProbes += 1
        if isClosed && failedProbes >= Self.probeLimit { open(byProbe: true, at: now) }
    }

    private mutating func open(byProbe: Bool, at now: ContinuousClock.Instant) {
        phase = .open(until: now + backoff, byProbe: byProbe)
        backoff = min(backoff * 2, Self.longest)
    }
}
