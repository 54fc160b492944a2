/// Why a part of an utterance was refused. Nothing of it is guessed or dropped.
package struct UtteranceRefusal: Equatable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: String, Sendable, CaseIterable {
        /// A date that no calendar has, such as 31 February.
        case noSuchDate
        /// A day that has not come.
        case future
        /// Numbers that may be day and month or month and day.
        case ambiguousDate
        /// Two dates, or a date and a weekday, that differ.
        case contradiction
        /// Several days, such as last week.
        case notADay
        /// A time that no clock shows, such as 25:00.
        case noSuchTime
        /// An amount below 0.
        case negativeAmount
        /// Numbers that are no single amount, such as `5 - 6 miles`.
        case unclearAmount
        /// How long something took that is not the activity, as in `3 km run, 8 hours office`.
        case otherActivity
    }

    /// What is wrong.
    package let reason: Reason
    /// The words that it is about.
    package let text: String

    /// For example `"31 February": there is no such date`.
    package var description: String {
        let problem =
            switch reason {
            case .noSuchDate: "the calendar has no such date"
            case .future: "expected today or an earlier day"
            case .ambiguousDate: "day and month are unclear, expected a date such as 2026-04-03"
            case .contradiction: "the dates differ, expected one day"
            case .notADay: "expected one day"
            case .noSuchTime: "expected a time from 00:00 to 23:59"
            case .negativeAmount: "expected an amount of at least 0"
            case .otherActivity: "it is unclear what this was; log each activity on a line of its own"
            case .unclearAmount: "the amount is unclear, expected one number such as 5.5"
            }
        return "\"\(text)\": \(problem)"
    }
}
