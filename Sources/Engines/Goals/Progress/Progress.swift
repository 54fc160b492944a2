/// How far a goal is on a day.
package struct Progress: Equatable, Sendable {
    /// What it comes to.
    package enum Status: String, Sendable, CaseIterable {
        /// The target is reached.
        case complete
        /// More than 110 % of the target.
        case overachieved
        /// The goal's days are over, the target is not reached.
        case overdue
        /// Less is done than the share of the days that are over.
        case behind
        /// At least as much is done.
        case onTrack = "on_track"
        /// There is no entry.
        case notStarted = "not_started"
    }

    /// Amounts for each day (or window): what was done, and what the rest of the goal needs.
    package struct Pace: Equatable, Sendable {
        /// The mean of the days so far.
        package let actual: Rational
        /// What each remaining day needs; nil when none remains.
        package let required: Rational?
    }

    /// The total, entries, mean, kept windows, or longest run.
    package let achieved: Rational
    /// How much of it is wanted.
    package let needed: Rational
    /// 1 is the target. For averages `at most` it is the target divided by the mean.
    package let fraction: Rational
    /// The share of the goal's due days that are over, 0 to 1.
    package let elapsed: Rational
    /// What it comes to.
    package let status: Status
    /// Nil for averages and streaks, and before the first day.
    package let pace: Pace?
    /// Where it will end if it goes on as before; nil for streaks, and without entries.
    package let projection: Projection?
    /// For ``ProgressRule/each(_:_:share:)`` and streaks: each judged window in order.
    package let windows: [WindowOutcome]
    /// The run that lasts until today; nil for other rules than streaks.
    package let currentStreak: Int?
    /// For daily windows on a daily schedule: the habit's strength today, 0 to 1, see ``HabitScore``.
    package let score: Double?
}
