package import Schedules

/// Repeats an emergency until someone acknowledges it: first after `interval`, then after longer and longer pauses.
package struct EmergencyRepeat: Sendable, Hashable {
    /// What comes next.
    package enum Next: Sendable, Equatable {
        /// Send it again at this instant.
        case again(at: Instant)
        /// Someone acknowledged it.
        case acknowledged
        /// It was sent ``EmergencyRepeat/limit`` times.
        case limitReached
        /// The next time would be after ``EmergencyRepeat/lifetime``.
        case expired
    }

    /// Seconds from the first to the second time, 30 to 3,600.
    package let interval: Int64
    /// What each pause is multiplied by, 1 to 10.
    package let factor: Int64
    /// The longest pause in seconds, from ``interval`` to 86,400.
    package let longest: Int64
    /// Times in all, 1 to 500.
    package let limit: Int
    /// Seconds from the first time to the end, 30 to 7 days.
    package let lifetime: Int64

    /// Creates a rule; values out of range become the nearest end.
    package init(
        interval: Int64 = 60, factor: Int64 = 2, longest: Int64 = 900, limit: Int = 50, lifetime: Int64 = 10_800
    ) {
        self.interval = min(max(interval, 30), 3600)
        self.factor = min(max(factor, 1), 10)
        self.longest = min(max(longest, self.interval), 86_400)
        self.limit = min(max(limit, 1), 500)
        self.lifetime = min(max(lifetime, 30), 7 * 86_400)
    }

    /// What follows after `times` sends, the first at `first` and the last at `last`.
    package func next(times: Int, first: Instant, last: Instant, isAcknowledged: Bool) -> Next {
        if isAcknowledged { return .acknowledged }
        guard times < limit else { return .limitReached }
        let next = last.adding(seconds: pause(after: times))
        return next > first.adding(seconds: lifetime) ? .expired : .again(at: next)
    }

    /// Seconds between two sends, the first of which was the `times`-th.
    func pause(after times: Int) -> Int64 {
        var pause = interval
        for _ in 1..<max(times, 1) where pause < longest && factor > 1 { pause *= factor }
        return min(pause, longest)
    }
}
