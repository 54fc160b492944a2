/// On which days something is due.
package enum GoalSchedule: Hashable, Sendable {
    /// Each day.
    case daily
    /// Certain weekdays, 0 (Sunday) to 6.
    case weekdays(Set<Int>)
    /// Each nth day, counted from a day on which it is due; numbers below 1 count as 1.
    case every(days: Int, from: LocalDay)

    package func isDue(on day: LocalDay) -> Bool {
        switch self {
        case .daily: true
        case .weekdays(let weekdays): weekdays.contains(day.weekday)
        case .every(let days, let first): day >= first && first.days(until: day) % max(days, 1) == 0
        }
    }
}
