import NIOCore

/// Decides whether a client that holds back an answer reads fast enough, from times that the caller passes.
///
/// Time counts only while bytes wait for the client. It may take nothing for the stall timeout at most, and all in all
/// it must keep the rate of ``BodyPace``.
package struct ReaderPace {
    private var pace: BodyPace
    private let timeout: Duration
    private var progressAt: ContinuousClock.Instant

    /// Begins with nothing that waits.
    package init(timeout: Duration, grace: Duration, rate: Int, at now: ContinuousClock.Instant) {
        self.timeout = timeout
        pace = BodyPace(grace: grace, rate: rate, at: now)
        pace.pause(at: now)
        progressAt = now
    }

    init(_ limits: ConnectionLimits) {
        self.init(
            timeout: limits.stallTimeout.duration, grace: limits.readGrace, rate: limits.minRate, at: .now)
    }

    /// Records that bytes wait for the client.
    package mutating func hold(at now: ContinuousClock.Instant) {
        guard pace.isPaused else { return }
        pace.resume(at: now)
        progressAt = now
    }

    /// Records that nothing waits any more.
    package mutating func release(at now: ContinuousClock.Instant) { pace.pause(at: now) }

    /// Records bytes that the client took.
    ///
    /// - Parameter counts: Whether they earn time; false for those that buffers on the way may have taken.
    package mutating func take(_ bytes: Int, counts: Bool = true, at now: ContinuousClock.Instant) {
        guard bytes > 0 else { return }
        if counts { pace.receive(bytes) }
        progressAt = now
    }

    /// Whether the client reads too slowly.
    package func isTooSlow(at now: ContinuousClock.Instant) -> Bool {
        guard !pace.isPaused else { return false }
        return now - progressAt >= timeout || pace.deadline.map { now >= $0 } == true
    }
}

extension ConnectionLimits {
    /// The time between two looks at a client that holds back an answer.
    var paceInterval: TimeAmount { min(stallTimeout, .seconds(5)) }
}

extension TimeAmount {
    fileprivate var duration: Duration { .nanoseconds(nanoseconds) }
}
