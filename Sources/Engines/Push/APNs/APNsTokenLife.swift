package import Schedules

/// When a provider token has to be replaced.
///
/// APNs refuses tokens older than an hour, and new ones more often than every 20 minutes.
package struct APNsTokenLife: Sendable, Hashable {
    /// The least age of a token before it is replaced, in seconds.
    package static let least: Int64 = 2400
    /// The greatest age of a token before it is replaced, in seconds.
    package static let most: Int64 = 3000
    /// Seconds between two tokens that APNs accepts.
    package static let pause: Int64 = 1200

    /// When the token was signed, by the clock whose time the token has.
    package let signed: Instant
    /// The same moment by a clock that nobody sets, in seconds.
    package let uptime: Int64
    /// Seconds from ``signed`` to the renewal, ``least`` to ``most``.
    package let age: Int64

    /// Creates a life.
    ///
    /// - Parameter seed: Chooses the age, so that several servers do not sign in the same second.
    package init(signed: Instant, uptime: Int64, seed: UInt64) {
        self.signed = signed
        self.uptime = uptime
        age = Self.least + Int64(seed % UInt64(Self.most - Self.least + 1))
    }

    /// Whether the token has to be replaced now.
    ///
    /// Either clock counts: the one that nobody sets may stop while the machine sleeps. A clock that went back by more
    /// than a minute makes the token one of the future, which is replaced as soon as APNs accepts another one.
    package func isOver(now: Instant, uptime: Int64) -> Bool {
        let wall = now.seconds - signed.seconds
        let (difference, overflow) = uptime.subtractingReportingOverflow(self.uptime)
        let elapsed = overflow ? 0 : difference
        if max(wall, elapsed) >= age { return true }
        return wall < -60 && elapsed >= Self.pause
    }
}
