/// What a schedule repeats.
package enum ScheduleRule: Sendable, Equatable {
    /// One instant; milliseconds are cut off.
    case instant(Instant)
    /// One time on the wall.
    case once(WallTime)
    case cron(CronExpression)
    /// A rule of iCalendar.
    case recurrence(RecurrenceRule)

    /// The policy of a schedule that names none: ``DaylightPolicy/interval`` for cron with `*` in minute or hour and
    /// for `HOURLY` and `MINUTELY`, otherwise ``DaylightPolicy/timeOfDay``.
    package var defaultDaylight: DaylightPolicy {
        switch self {
        case .instant, .once: .timeOfDay
        case .cron(let expression): expression.isInterval ? .interval : .timeOfDay
        case .recurrence(let rule): rule.isInterval ? .interval : .timeOfDay
        }
    }
}
