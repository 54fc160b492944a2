/// Everything that the progress of a goal depends on.
package struct ProgressQuestion: Sendable {
    /// An amount on a day: of one action that counts, or of several.
    package struct Entry: Hashable, Sendable {
        /// The actions' stored day.
        package let day: LocalDay
        /// Their sum, at least 0, in the goal's unit.
        package let amount: Rational
        /// The number of actions.
        package let count: Int

        package init(day: LocalDay, amount: Rational, count: Int = 1) {
            self.day = day
            self.amount = amount
            self.count = count
        }
    }

    /// Days of a goal at most: a hundred years.
    package static let maxDays = 36_525

    /// How entries become a figure.
    package var rule: ProgressRule
    /// The total, mean, or amount in a window that is wanted, with its changes. Windows have the target of their last day,
    /// streaks that of each day, the other rules that of `today`.
    package var target: Timeline<Rational>
    /// The first day that counts.
    package var start: LocalDay
    /// The last day that counts.
    package var end: LocalDay
    /// The day that is not over yet. An earlier day than the current one shows the progress as of that day.
    package var today: LocalDay
    /// In any order. Entries outside of the goal's days and after `today` are ignored.
    package var entries: [Entry]
    /// Days that the person skipped on purpose: they are neither kept nor missed.
    package var skips: Set<LocalDay>
    /// The days on which the goal is due, with its changes.
    package var schedule: Timeline<GoalSchedule>

    package init(
        rule: ProgressRule, target: Timeline<Rational>, start: LocalDay, end: LocalDay, today: LocalDay,
        entries: [Entry], skips: Set<LocalDay> = [], schedule: Timeline<GoalSchedule> = Timeline(.daily)
    ) {
        self.rule = rule
        self.target = target
        self.start = start
        self.end = end
        self.today = today
        self.entries = entries
        self.skips = skips
        self.schedule = schedule
    }

    func check() throws(InvalidFields) {
        var check = GoalFieldCheck("progress")
        check.order("end", end, notBefore: start)
        check.require(
            start.days(until: end) < Self.maxDays, "end", "at most \(Self.maxDays) days after the start", got: "\(end)")
        check.require(entries.allSatisfy { $0.amount >= .zero }, "entries", "amounts of at least 0", got: "less")
        switch rule {
        case .each(_, _, let share): check.range("share", share, 1...100)
        case .streak(let length, let freezes):
            check.range("length", length, 1...Self.maxDays)
            check.range("freezes", freezes, 0...Self.maxDays)
        default: break
        }
        try check.finish()
    }
}
