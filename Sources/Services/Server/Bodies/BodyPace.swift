import HTTPTypes

/// How long the rest of a request's body may take: time in, verdict out, without clocks or timers of its own.
///
/// A body has a grace, and a second more for each ``BodyLimits/rate`` bytes that came. Time in which the gateway does not
/// read does not count.
package struct BodyPace {
    private let grace: Duration
    private let rate: Int
    private let startedAt: ContinuousClock.Instant
    private var paused = Duration.zero
    private var pausedAt: ContinuousClock.Instant?
    private var bytes = 0

    package init(grace: Duration, rate: Int, at now: ContinuousClock.Instant) {
        self.grace = grace
        self.rate = rate
        startedAt = now
    }

    /// Whether the gateway does not read now.
    var isPaused: Bool { pausedAt != nil }

    /// Bytes came.
    package mutating func receive(_ count: Int) { bytes += count }

    /// The gateway stops reading.
    package mutating func pause(at now: ContinuousClock.Instant) {
        if pausedAt == nil { pausedAt = now }
    }

    /// The gateway reads on.
    package mutating func resume(at now: ContinuousClock.Instant) {
        guard let since = pausedAt else { return }
        paused += now - since
        pausedAt = nil
    }

    /// When the body is too slow unless more of it comes; nil while the gateway does not read, or when any rate will do.
    package var deadline: ContinuousClock.Instant? {
        guard rate > 0, pausedAt == nil else { return nil }
        return startedAt + paused + grace + .seconds(Double(bytes) / Double(rate))
    }
}

/// What comes of a body behind the end of its response.
package struct SwallowedBody {
    /// Bytes that are read and dropped before the connection is closed.
    package static let limit = 1 << 20
    /// How long such a body may go on.
    package static let patience = Duration.seconds(1)

    private var bytes = 0

    package init() {}

    /// Takes bytes; returns whether the body may go on.
    package mutating func receive(_ count: Int) -> Bool {
        bytes += count
        return bytes <= Self.limit
    }
}

extension GatewayError.Code {
    /// The body of a request came too slowly.
    public static let bodyTimeout = GatewayError.Code(rawValue: "body_timeout")
}

extension GatewayError {
    /// The body of a request came too slowly.
    package static func bodyTimeout(_ limits: BodyLimits) -> GatewayError {
        GatewayError(
            .requestTimeout, .bodyTimeout,
            "the body came with less than \(limits.rate) bytes a second; send it faster, or lower SELENE_MIN_BODY_RATE",
            headers: [.connection: "close"])
    }
}
