package import Schedules

/// A number of messages at once, and the time after which another one may follow.
package struct RateLimit: Sendable, Hashable, CustomStringConvertible {
    /// Messages at once, 1 to 10,000.
    package let burst: Int
    /// Milliseconds for one more message, 1 to 366 days.
    package let interval: Int64
    /// Priorities from this one on are sent all the same; nil lets none through.
    package let breakThrough: DeliveryPriority?

    /// Creates a limit of `burst` messages at once and one more each `interval` milliseconds; clamps both.
    package init(burst: Int, interval: Int64, breakThrough: DeliveryPriority? = nil) {
        self.burst = min(max(burst, 1), 10_000)
        self.interval = min(max(interval, 1), 366 * 86_400_000)
        self.breakThrough = breakThrough
    }

    func isBroken(by priority: DeliveryPriority) -> Bool { breakThrough.map { priority >= $0 } ?? false }

    /// For example `5 at once and one each 60 s`.
    package var description: String {
        let pause = interval % 1000 == 0 ? "\(interval / 1000) s" : "\(interval) ms"
        return "\(burst) at once and one each \(pause)"
    }
}

/// The tokens that a rate limit has left, as one instant: when the bucket is full again (the generic cell rate
/// algorithm).
package struct TokenBucket: Sendable, Hashable {
    /// When all tokens are back; nil if no token was ever taken.
    package var fullAt: Instant?

    /// Creates a bucket; a full one by default.
    package init(fullAt: Instant? = nil) { self.fullAt = fullAt }

    /// Takes a token; returns nil, or the instant when the next one is free, which is later than `now`.
    ///
    /// After the clock went back, the bucket is at worst empty: the wait is never longer than `interval`, and the bucket is
    /// kept as empty.
    package mutating func take(at now: Instant, limit: RateLimit) -> Instant? {
        let empty = now.adding(milliseconds: limit.interval * Int64(limit.burst))
        let full = min(max(fullAt ?? now, now), empty)
        let free = full.adding(milliseconds: -limit.interval * Int64(limit.burst - 1))
        if free > now {
            // Otherwise a bucket of a clock that was ahead would be empty at each look until then.
            if let fullAt, fullAt > full { self.fullAt = full }
            return free
        }
        fullAt = full.adding(milliseconds: limit.interval)
        return nil
    }
}
