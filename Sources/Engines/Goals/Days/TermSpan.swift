/// The days of a term: whole weeks, ten unless said otherwise.
package struct TermSpan: Hashable, Sendable {
    package static let defaultWeeks = 10

    package let first: LocalDay
    /// 1 to 52.
    package let weeks: Int

    /// Creates a span; weeks out of range become the nearest end.
    package init(first: LocalDay, weeks: Int = TermSpan.defaultWeeks) {
        self.first = first
        self.weeks = min(max(weeks, 1), 52)
    }

    package var last: LocalDay { first.adding(weeks * 7 - 1) }

    /// Whether a day belongs to it.
    package func contains(_ day: LocalDay) -> Bool { first <= day && day <= last }

    /// The week of a day, from 1; nil outside of the term.
    package func week(of day: LocalDay) -> Int? { contains(day) ? first.days(until: day) / 7 + 1 : nil }

    /// The term `number` terms later (earlier if negative), without a hole between them; clamped to 1900 to 2399.
    package func advanced(by number: Int) -> TermSpan {
        let (days, overflow) = number.multipliedReportingOverflow(by: weeks * 7)
        return TermSpan(first: first.adding(overflow ? (number < 0 ? .min : .max) : days), weeks: weeks)
    }

    /// How many terms after this one a day falls: 0 for a day of this one, -1 for the term before.
    package func offset(of day: LocalDay) -> Int {
        let days = first.days(until: day)
        let length = weeks * 7
        return days >= 0 ? days / length : (days + 1) / length - 1
    }
}
