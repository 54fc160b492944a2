package import Transport

/// An outage of Ollama: decides when to retry and when to give up. Pure.
package struct Outage: Sendable {
    /// The pause after the first failure.
    static let firstPause = Duration.milliseconds(250)
    /// The longest pause, unless Ollama sends `Retry-After`.
    static let longestPause = Duration.seconds(30)
    /// The longest pause that `Retry-After` can cause.
    static let longestAsked = Duration.seconds(300)

    /// The latest error.
    package private(set) var error: UpstreamError
    private let began: ContinuousClock.Instant
    private var failures = 0
    package private(set) var until: ContinuousClock.Instant

    package init(_ error: UpstreamError, now: ContinuousClock.Instant, random: Double = .random(in: 0...1)) {
        self.error = error
        began = now
        until = now
        failed(error, now: now, random: random)
    }

    /// Records another failed call and extends the pause.
    ///
    /// - Parameter random: 0 to 1; jitter that spreads the retries of several processes.
    package mutating func failed(
        _ error: UpstreamError, now: ContinuousClock.Instant, random: Double = .random(in: 0...1)
    ) {
        self.error = error
        let pause: Duration
        if let asked = error.retryAfterSeconds {
            pause = min(Self.longestAsked, .seconds(max(0, asked)))
        } else {
            pause = min(Self.longestPause, Self.firstPause * (1 << min(failures, 10))) * (0.75 + random / 2)
        }
        failures += 1
        until = max(until, now + pause)
    }

    /// Whether the outage has lasted longer than `timeout`; nil never gives up.
    package func exceeds(_ timeout: Duration?, now: ContinuousClock.Instant) -> Bool {
        timeout.map { now - began > $0 } ?? false
    }
}

extension UpstreamError {
    /// Whether a retry may succeed: the upstream is unreachable, busy or slow.
    package var isOutage: Bool {
        switch code {
        case .refused, .dns, .cut, .connectTimeout, .firstByteTimeout, .idleTimeout, .overloaded: true
        case .status: [408, 429, 500, 502, 503, 504].contains(status ?? 0)
        default: false
        }
    }
}
