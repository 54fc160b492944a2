import Inference
import Transport

/// A time in which Ollama is away or busy: when to try again, and when to give up; pure.
struct Outage: Sendable {
    /// The first pause.
    static let firstPause = Duration.milliseconds(250)
    /// No pause is longer, unless Ollama itself asks for one.
    static let longestPause = Duration.seconds(30)
    /// No pause is longer, even if Ollama asks for it.
    static let longestAsked = Duration.seconds(300)

    /// What Ollama said last.
    private(set) var error: UpstreamError
    private let began: ContinuousClock.Instant
    private var failures = 0
    private(set) var until: ContinuousClock.Instant

    init(_ error: UpstreamError, now: ContinuousClock.Instant, random: Double = .random(in: 0...1)) {
        self.error = error
        began = now
        until = now
        failed(error, now: now, random: random)
    }

    /// Another call failed.
    ///
    /// - Parameter random: 0 to 1; spreads the tries of several processes.
    mutating func failed(_ error: UpstreamError, now: ContinuousClock.Instant, random: Double = .random(in: 0...1)) {
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

    /// Whether waiting any longer is more than the patience allows.
    func isHopeless(patience: Duration?, now: ContinuousClock.Instant) -> Bool {
        patience.map { now - began > $0 } ?? false
    }
}

extension UpstreamError {
    /// Whether the upstream may well answer the same call later: it is away, busy or slow.
    var isOutage: Bool {
        switch code {
        case .refused, .dns, .cut, .connectTimeout, .firstByteTimeout, .idleTimeout, .overloaded: true
        case .status: [408, 429, 500, 502, 503, 504].contains(status ?? 0)
        default: false
        }
    }
}
