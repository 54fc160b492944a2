import HTTPTypes

/// Decides how long the rest of a request's body may take, from times that the caller passes. It has no clock or timer.
///
/// A body has a grace period plus one second for each ``BodyLimits/rate`` bytes received. Time in which the gateway
/// does not read does not count.
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

    /// Whether the gateway has stopped reading.
    var isPaused: Bool { pausedAt != nil }

    /// Records received bytes.
    package mutating func receive(_ count: Int) { bytes += count }

    /// Records that the gateway stops reading.
    package mutating func pause(at now: ContinuousClock.Instant) {
        if pausedAt == nil { pausedAt = now }
    }

    /// Records that the gateway reads again.
    package mutating func resume(at now: ContinuousClock.Instant) {
        guard let since = pausedAt else { return }
        paused += now - since
        pausedAt = nil
    }

    /// When the body becomes too slow unless more of it arrives; nil while reading is paused, or without a minimum
    /// rate.
    package var deadline: ContinuousClock.Instant? {
        guard rate > 0, pausedAt == nil else { return nil }
        return startedAt + paused + grace + .seconds(Double(bytes) / Double(rate))
    }
}

extension GatewayError.Code {
    /// The body of a request came too slowly.
    package static let bodyTimeout = GatewayError.Code(rawValue: "body_timeout")
}

extension GatewayError {
    /// The error for a body that came too slowly.
    package static func bodyTimeout(_ limits: BodyLimits) -> GatewayError {
        GatewayError(
            .requestTimeout, .bodyTimeout,
            "the body came slower than \(limits.rate) bytes a second; send it faster, or lower SELENE_MIN_BODY_RATE",
            headers: [.connection: "close"])
    }
}
