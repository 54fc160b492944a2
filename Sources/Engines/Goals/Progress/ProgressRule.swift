/// How a goal's entries become one figure.
package enum ProgressRule: Hashable, Sendable {
    /// Which side of a target is wanted.
    package enum Bound: String, Sendable, CaseIterable {
        /// The target or more.
        case atLeast = "at_least"
        /// The target or less.
        case atMost = "at_most"
    }

    /// The stretches of time that are judged one by one.
    package enum Window: String, Sendable, CaseIterable {
        /// Each day on which the goal is due.
        case day
        /// Each seven days from the goal's start. Days after the last whole week are not judged.
        case week
    }

    /// The total of the amounts against the target.
    case sum
    /// The number of entries against the target.
    case count
    /// The mean of the days that have an entry; a day without one is not zero.
    case average(Bound)
    /// The number of windows that keep the target, against `share` percent of them (1 to 100).
    case each(Window, Bound, share: Int)
    /// The longest run of due days that reach the target, against `length`; `freezes` missed days do not end a run.
    case streak(length: Int, freezes: Int)
}
