/// How a day or week of a goal came out.
package struct WindowOutcome: Equatable, Sendable {
    /// How it came out.
    package enum Result: String, Sendable, CaseIterable {
        /// The target was kept.
        case kept
        /// There are entries, and they miss the target.
        case failed
        /// It is over without an entry. This says nothing about the amount: it is not zero.
        case missing
        /// Skipped on purpose.
        case skipped
        /// Not over and not decided.
        case open
    }

    package let first: LocalDay
    package let last: LocalDay
    /// How it came out.
    package let result: Result

    /// Judges a window; `total` nil means that it has no entry.
    ///
    /// `at least` is kept as soon as the target is reached, even on a skipped day. `at most` fails as soon as the target
    /// is exceeded, and is kept only when the window is over and has an entry.
    static func judge(
        first: LocalDay, last: LocalDay, total: Rational?, bound: ProgressRule.Bound, target: Rational,
        isSkipped: Bool, today: LocalDay
    ) -> WindowOutcome {
        let isOver = last < today
        let result: Result
        switch (bound, total) {
        case (.atLeast, let total?) where total >= target: result = .kept
        case (_, _) where isSkipped: result = .skipped
        case (.atMost, let total?) where total > target: result = .failed
        case (.atMost, .some): result = isOver ? .kept : .open
        case (.atLeast, .some): result = isOver ? .failed : .open
        case (_, nil): result = isOver ? .missing : .open
        }
        return WindowOutcome(first: first, last: last, result: result)
    }
}
