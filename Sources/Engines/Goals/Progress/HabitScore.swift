import Foundation

/// The strength of a habit, as Loop Habit Tracker computes it.
///
/// Each day the score moves towards the day's value v (0 to 1): score · m + v · (1 - m), with m = 0.5^(√f / 13) for f
/// repetitions a day. So a daily habit reaches one half after 13 days. Source: `Score.compute` of uhabits.
package enum HabitScore {
    /// The score after each day, 0 to 1. A nil value is a skipped day, which leaves the score as it is.
    package static func scores(_ values: [Double?], frequency: Double = 1) -> [Double] {
        let multiplier = pow(0.5, max(frequency, 0).squareRoot() / 13)
        var score = 0.0
        return values.map { value in
            if let value { score = score * multiplier + min(max(value, 0), 1) * (1 - multiplier) }
            return score
        }
    }

    /// A day's value. `At least`: the share of the target that was reached. `At most`: 1 up to the target, then falling to
    /// 0 at twice the target. A day without an entry has the value 0.
    static func value(total: Rational?, bound: ProgressRule.Bound, target: Rational) -> Double {
        guard let total else { return 0 }
        guard target > .zero else { return bound == .atLeast || total <= target ? 1 : 0 }
        let share = total.doubleValue / target.doubleValue
        return bound == .atLeast ? min(share, 1) : min(max(2 - share, 0), 1)
    }
}
