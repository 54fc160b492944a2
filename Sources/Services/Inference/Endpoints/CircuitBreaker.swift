/// Keeps requests away from an endpoint that fails, and lets one through now and then to see whether it still does.
///
/// Opens after so many failures in a row, of requests or of probes; each time it opens again, it stays so for twice as
/// long. When that time is over, one request is the trial: its success closes the breaker, its failure opens it anew.
/// A breaker that probes opened is closed by a probe that succeeds, since the probe was the trial. Pure: the time comes
/// from outside.
struct CircuitBreaker: Sendable {
    /// Failures of requests in a row that open it.
    static let requestLimit = 3
    /// Failures of probes in a row that open it.
    static let probeLimit = 2
    /// How long it is open at first, and at most.
    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(30)

    private enum Phase {
        case closed
        case open(until: ContinuousClock.Instant, byProbe: Bool)
        case trial(byProbe: Bool)
    }
    private var phase = Phase.closed
    private var failedRequests = 0
    private var failedProbes = 0
    private var backoff = CircuitBreaker.shortest

    /// Whether nothing is known against the endpoint.
    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Whether a request may go there at a time: always when closed; as the trial when it was open for long enough.
    func allows(at now: ContinuousClock.Instant) -> Bool {
        switch phase {
        case .closed: true
        case .open(let until, _): now >= until
        case .trial: false
        }
    }

    /// A request begins; returns whether it is the trial.
    mutating func begin(at now: ContinuousClock.Instant) -> Bool {
        guard case .open(let until, let byProbe) = phase, now >= until else { return false }
        phase = .trial(byProbe: byProbe)
        return true
    }

    /// A request succeeded, whoever let it through.
    mutating func requestSucceeded() { self = CircuitBreaker() }

    /// A request failed.
    ///
    /// - Parameter isTrial: What ``begin(at:)`` said of it.
    mutating func requestFailed(isTrial: Bool, at now: ContinuousClock.Instant) {
        failedRequests += 1
        if isTrial || (isClosed && failedRequests >= Self.requestLimit) { open(byProbe: false, at: now) }
    }

    /// A request ended without saying anything about the endpoint.
    mutating func requestAbandoned(isTrial: Bool, at now: ContinuousClock.Instant) {
        guard isTrial, case .trial(let byProbe) = phase else { return }
        phase = .open(until: now, byProbe: byProbe)
    }

    /// A probe succeeded. One that requests opened is closed when its time is over, but the next failure opens it again.
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

    /// A probe failed.
    mutating func probeFailed(at now: ContinuousClock.Instant) {
        failedProbes += 1
        if isClosed && failedProbes >= Self.probeLimit { open(byProbe: true, at: now) }
    }

    private mutating func open(byProbe: Bool, at now: ContinuousClock.Instant) {
        phase = .open(until: now + backoff, byProbe: byProbe)
        backoff = min(backoff * 2, Self.longest)
    }
}
