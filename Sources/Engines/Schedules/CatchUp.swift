/// What happens with occurrences that were missed while nothing ran.
package struct CatchUp: Sendable, Hashable {
    /// Which of the missed occurrences run.
    package enum Mode: String, Sendable, CaseIterable {
        /// The latest one, unless an occurrence that is on time runs.
        case latest
        /// All, the newest ones up to the limit.
        case all
        case none
    }

    /// What is to run now.
    package struct Due: Sendable, Equatable {
        /// In ascending order; the late ones first.
        package var run: [Occurrence]
        /// The first occurrence that does not run although it was due; nil if none was missed.
        package var firstMissed: Occurrence?
    }

    /// The largest ``limit``.
    package static let maxLimit = 1000

    /// Which of the missed occurrences run.
    package let mode: Mode
    /// Seconds: an occurrence that is later than this does not run.
    package let window: Int64
    /// Seconds that an occurrence may be late without being missed. Such ones always run.
    package let grace: Int64
    /// Occurrences that run at most, the newest ones; 1 to ``maxLimit``.
    package let limit: Int

    /// Creates a policy. Values out of range become the nearest end; windows of 0 to 366 days, grace within the window.
    package init(mode: Mode, window: Int64 = 86_400, grace: Int64 = 60, limit: Int = 100) {
        self.mode = mode
        self.window = min(max(window, 0), 366 * 86_400)
        self.grace = min(max(grace, 0), self.window)
        self.limit = min(max(limit, 1), Self.maxLimit)
    }

    /// What is due from after `last`, the instant of the last look, up to `now`. Each occurrence runs once if `now`
    /// becomes the next `last`, and none runs if the clock went back.
    ///
    /// Work is bounded by ``limit`` searches by bisection. Occurrences on time count for the limit, too.
    package func due(_ schedule: Schedule, after last: Instant, now: Instant) throws(ScheduleError) -> Due {
        guard last < now else { return Due(run: []) }
        let start = last.adding(milliseconds: 1)
        let end = now.adding(milliseconds: 1)
        let onTime = max(start, now.adding(seconds: -grace))
        let late = max(start, now.adding(seconds: -window))
        var run = try newest(limit, of: schedule, in: onTime..<end)
        let count =
            switch mode {
            case .latest: run.isEmpty ? 1 : 0
            case .all: limit - run.count
            case .none: 0
            }
        if count > 0, late < onTime { run = try newest(count, of: schedule, in: late..<onTime) + run }
        // What runs is the end of what was due, so the first that was due tells whether anything was missed.
        let first = try schedule.occurrences(in: start..<end, limit: 1).first
        return Due(run: run, firstMissed: first == run.first ? nil : first)
    }

    private func newest(
        _ count: Int, of schedule: Schedule, in range: Range<Instant>
    ) throws(ScheduleError) -> [Occurrence] {
        var newest: [Occurrence] = []
        var end = range.upperBound
        while newest.count < count, range.lowerBound < end,
            let last = try schedule.last(in: range.lowerBound..<end)
        {
            newest.append(last)
            end = last.instant
        }
        return newest.reversed()
    }
}
