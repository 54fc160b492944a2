/// A recurrence rule of iCalendar, a subset of RFC 5545, section 3.3.10.
///
/// Supported: `FREQ` (`YEARLY`, `MONTHLY`, `WEEKLY`, `DAILY`, `HOURLY`, `MINUTELY`), `INTERVAL`, `COUNT`, `UNTIL`,
/// `BYMONTH`, `BYMONTHDAY`, `BYDAY`, `BYHOUR`, `BYMINUTE`, `BYSETPOS`, `WKST`, and excluded times (`EXDATE`). Not
/// supported: `SECONDLY`, `BYSECOND`, `BYWEEKNO`, `BYYEARDAY`.
///
/// - The start is an occurrence only if it matches. It gives the values that the rule leaves open: the minute of an
///   hour, the time of a day, the weekday of a week, the day of a month, the month and day of a year.
/// - A month without a day of `BYMONTHDAY` is skipped. `-1` is the last day.
/// - `BYDAY` counts (`2MO`, `-1FR`) within the month, or within the year for `YEARLY` without `BYMONTH`. Counts are
///   only valid with `MONTHLY` and `YEARLY`.
/// - `COUNT` counts what fires: not a time that a gap policy skips, but those that `EXDATE` removes.
/// - `UNTIL` is inclusive: local (`20261231T235959`, or a date for its whole day) or UTC (`20261231T225959Z`).
/// - `HOURLY` and `MINUTELY` count on the clock on the wall.
package struct RecurrenceRule: Sendable, Equatable {
    /// The length of a period.
    package enum Frequency: String, Sendable, CaseIterable {
        /// A step of one of the units, from the longest to the shortest.
        case yearly, monthly, weekly, daily, hourly, minutely
    }

    /// The last time that may fire.
    enum Until: Sendable, Equatable {
        case wall(WallTime)
        case instant(Instant)
    }

    /// The nth weekday of a month or year, from its end if negative.
    struct NthWeekday: Sendable, Equatable {
        var position: Int
        var weekday: Int
    }

    /// `BYMONTHDAY`: bits 1 to 31 from the month's start, and the same from its end.
    struct MonthDays: Sendable, Equatable {
        var fromStart: UInt64 = 0
        var fromEnd: UInt64 = 0
    }

    /// UTF-8 bytes of a rule at most.
    package static let maxBytes = 2048
    /// Times to exclude at most.
    package static let maxExcluded = 1000
    /// The largest `COUNT`.
    package static let maxCount = 10_000
    /// The largest `INTERVAL`.
    package static let maxInterval = 1_000_000

    /// Periods and days that one search looks at, at most: all days of the 400 years after which the calendar repeats.
    static let maxSteps = 400_000

    /// The first wall time that may match.
    package let start: WallTime
    let frequency: Frequency
    var interval = 1
    var count: Int?
    var until: Until?
    /// Bits 1 to 12; all if the rule has no `BYMONTH`.
    var months: UInt64 = 0x1FFE
    var hasMonths = false
    var monthDays: MonthDays?
    /// Bits 0 (Sunday) to 6; nil without `BYDAY`.
    var weekdays: UInt64?
    var nthWeekdays: [NthWeekday] = []
    /// Bits 0 to 23 and 0 to 59; nil if the rule does not name any.
    var hours: UInt64?
    var minutes: UInt64?
    /// Positions within the times of a period, from 1 or from -1, ascending.
    var positions: [Int] = []
    /// 0 (Sunday) to 6.
    var weekStart = 1
    var excluded: Set<WallTime> = []

    init(start: WallTime, frequency: Frequency) {
        self.start = start
        self.frequency = frequency
    }

    /// Whether a period is shorter than a day.
    var isInterval: Bool { frequency == .hourly || frequency == .minutely }
}
