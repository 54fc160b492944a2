package import Schedules

/// When a failed delivery is tried again: exponential back-off with jitter, which respects `Retry-After`.
package struct RetrySchedule: Sendable, Hashable {
    /// What comes next.
    package enum Next: Sendable, Equatable {
        /// Try again at this instant.
        case retry(at: Instant)
        /// All attempts were made.
        case attemptsUsed
        /// The message expires before the next attempt.
        case expires
    }

    /// Milliseconds before the second attempt, 1 to 1 hour.
    package let base: Int64
    /// The longest back-off in milliseconds, from ``base`` to 1 day.
    package let longest: Int64
    /// The longest `Retry-After` that is respected, in milliseconds, to 7 days. A longer one counts as this.
    package let longestRetryAfter: Int64
    /// Attempts in all, 1 to 1,000.
    package let attempts: Int

    /// Creates a schedule; values out of range become the nearest end.
    package init(
        base: Int64 = 1000, longest: Int64 = 900_000, longestRetryAfter: Int64 = 3_600_000, attempts: Int = 12
    ) {
        self.base = min(max(base, 1), 3_600_000)
        self.longest = min(max(longest, self.base), 86_400_000)
        self.longestRetryAfter = min(max(longestRetryAfter, 0), 7 * 86_400_000)
        self.attempts = min(max(attempts, 1), 1000)
    }

    /// When to try again after attempt number `attempt` (from 1) failed at `now`.
    ///
    /// The back-off doubles with each attempt; the delay is a half to the whole of it, chosen by `seed` and `attempt`,
    /// so that deliveries that failed together do not return together. `retryAfter`, in seconds as the peer sent it, is
    /// a lower bound to which the jitter of the back-off is added. The same input gives the same instant.
    package func next(
        attempt: Int, now: Instant, retryAfter: Int64? = nil, expires: Instant? = nil, seed: UInt64
    ) -> Next {
        guard attempt < attempts else { return .attemptsUsed }
        var backOff = base
        for _ in 1..<max(attempt, 1) where backOff < longest { backOff *= 2 }
        backOff = min(backOff, longest)
        let half = backOff / 2
        let jitter = Int64(Self.mix(seed, UInt64(max(attempt, 1))) % UInt64(half + 1))
        var delay = backOff - half + jitter
        if let retryAfter {
            let bound = min(max(retryAfter, 0), longestRetryAfter / 1000) * 1000
            delay = max(delay, bound + jitter)
        }
        let instant = now.adding(milliseconds: delay)
        if let expires, expires <= instant { return .expires }
        return .retry(at: instant)
    }

    /// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
    private static func mix(_ seed: UInt64, _ number: UInt64) -> UInt64 {
        var value = seed &+ number &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
