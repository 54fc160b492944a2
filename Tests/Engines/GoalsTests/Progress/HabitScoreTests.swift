import Testing

@testable import Goals

struct HabitScoreTests {
    /// The tests of Loop Habit Tracker state the same six digits.
    @Test func `twenty days of a daily habit`() {
        let scores = HabitScore.scores(Array(repeating: 1, count: 20))
        let expected = [
            0.655747, 0.636894, 0.617008, 0.596033, 0.573910, 0.550574, 0.525961, 0.500000, 0.472617, 0.443734,
            0.413270,
            0.381137, 0.347244, 0.311495, 0.273788, 0.234017, 0.192067, 0.147820, 0.101149, 0.051922,
        ]
        for (score, expected) in zip(scores.reversed(), expected) { #expect(abs(score - expected) < 1e-6) }
    }

    @Test func `a skipped day leaves the score as it is`() {
        var values = [Double?](repeating: 1, count: 20)
        for day in [5, 10, 11] { values[19 - day] = nil }
        let scores = HabitScore.scores(values)
        let expected = [
            0.596033, 0.573910, 0.550574, 0.525961, 0.500000, 0.472617, 0.472617, 0.443734, 0.413270, 0.381137,
            0.347244,
            0.347244, 0.347244, 0.311495, 0.273788, 0.234017, 0.192067, 0.147820,
        ]
        for (score, expected) in zip(scores.reversed(), expected) { #expect(abs(score - expected) < 1e-6) }
    }

    @Test func `values are shares of the target`() {
        func value(_ total: Int?, _ bound: ProgressRule.Bound, _ target: Int) -> Double {
            HabitScore.value(total: total.map { Rational($0) }, bound: bound, target: Rational(target))
        }
        #expect(value(5, .atLeast, 10) == 0.5 && value(20, .atLeast, 10) == 1 && value(nil, .atLeast, 10) == 0)
        #expect(value(5, .atMost, 10) == 1 && value(15, .atMost, 10) == 0.5 && value(30, .atMost, 10) == 0)
        #expect(value(nil, .atMost, 10) == 0 && value(0, .atMost, 0) == 1 && value(1, .atMost, 0) == 0)
    }
}
