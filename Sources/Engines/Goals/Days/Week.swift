/// A week of a person's calendar: seven days from a chosen weekday on.
package struct Week: Hashable, Sendable {
    package let first: LocalDay

    /// The week that holds a day; `firstWeekday` is 0 (Sunday) to 6, other numbers wrap around.
    package init(containing day: LocalDay, firstWeekday: Int = 1) {
        let start = (firstWeekday % 7 + 7) % 7
        first = day.adding(-((day.weekday - start + 7) % 7))
    }

    package var last: LocalDay { first.adding(6) }

    /// Year and number by ISO 8601, for weeks from Monday: week 1 holds the year's first Thursday.
    package static func isoNumber(of day: LocalDay) -> (year: Int, week: Int) {
        let thursday = Week(containing: day).first.adding(3)
        let year = thursday.date.year
        let newYear = LocalDay(year: year, month: 1, day: 1) ?? .earliest
        return (year, newYear.days(until: thursday) / 7 + 1)
    }
}
