package import Language

/// Days of a person's calendar from one to another; nil for an open end.
package struct CalendarStretch: Sendable, Hashable {
    package var first: LocalDay?
    package var last: LocalDay?

    package init(_ first: LocalDay?, _ last: LocalDay?) {
        self.first = first
        self.last = last
    }
}

/// The stretches of a calendar around a day.
package struct CalendarPlaces: Sendable {
    /// The day that the others are counted from.
    package let today: LocalDay
    /// The first day of a week, 0 for Sunday.
    package let firstWeekday: Int

    /// Counts from a day.
    package init(today: LocalDay, firstWeekday: Int) { (self.today, self.firstWeekday) = (today, firstWeekday) }

    /// A stretch of one day.
    package func day(_ day: LocalDay) -> CalendarStretch { CalendarStretch(day, day) }

    /// The week some weeks from now.
    package func week(_ offset: Int) -> CalendarStretch {
        let week = Week(containing: today.adding(offset * 7), firstWeekday: firstWeekday)
        return CalendarStretch(week.first, week.last)
    }

    /// A month of a year; months outside of 1 to 12 count on.
    package func month(_ month: Int, of year: Int) -> CalendarStretch? {
        let number = year * 12 + month - 1
        guard number > 0, let first = LocalDay(year: number / 12, month: number % 12 + 1, day: 1),
            let next = LocalDay(year: (number + 1) / 12, month: (number + 1) % 12 + 1, day: 1)
        else { return nil }
        return CalendarStretch(first, next.adding(-1))
    }

    /// A whole year.
    package func year(_ year: Int) -> CalendarStretch? {
        guard let first = LocalDay(year: year, month: 1, day: 1), let last = LocalDay(year: year, month: 12, day: 31)
        else { return nil }
        return CalendarStretch(first, last)
    }

    /// The three months of a season that begins in a month of a year.
    package func season(from month: Int, of year: Int) -> CalendarStretch? {
        guard let first = self.month(month, of: year)?.first, let last = self.month(month + 2, of: year)?.last else {
            return nil
        }
        return CalendarStretch(first, last)
    }

    /// Some units ago: a day, a calendar week, a calendar month or a calendar year.
    package func ago(_ count: Int, _ unit: CalendarWords.Unit) -> CalendarStretch? {
        switch unit {
        case .day: day(today.adding(-count))
        case .week: week(-count)
        case .month: month(today.date.month - count, of: today.date.year)
        case .year: year(today.date.year - count)
        }
    }

    /// From some units before today to today.
    package func past(_ count: Int, _ unit: CalendarWords.Unit) -> CalendarStretch {
        let (year, month, number) = today.date
        let first: LocalDay? =
            switch unit {
            case .day: today.adding(-count)
            case .week: today.adding(-count * 7)
            case .month: sameDay(number, ofMonth: month - count, year)
            case .year: sameDay(number, ofMonth: month, year - count)
            }
        return CalendarStretch(first, today)
    }

    /// A day of a month, or the last one of a shorter month; months outside of 1 to 12 count on.
    package func sameDay(_ day: Int, ofMonth month: Int, _ year: Int) -> LocalDay? {
        guard let stretch = self.month(month, of: year), let first = stretch.first, let last = stretch.last else {
            return nil
        }
        return min(first.adding(day - 1), last)
    }

    /// The latest such weekday up to today.
    package func weekday(_ number: Int, isBeforeToday: Bool) -> LocalDay {
        let back = (today.weekday - number + 7) % 7
        return today.adding(-(isBeforeToday && back == 0 ? 7 : back))
    }

    /// Saturday and Sunday: of this week, or of the one before.
    package func weekend(isLast: Bool) -> CalendarStretch {
        let saturday = today.weekday == 0 ? today.adding(-1) : today.adding(6 - today.weekday)
        let first = isLast ? saturday.adding(-7) : saturday
        return CalendarStretch(first, first.adding(1))
    }

    /// The latest such date that is not after today; leap days are at most eight years apart.
    package func latest(month: Int, day: Int) -> LocalDay? {
        (0...8).lazy.compactMap { LocalDay(year: today.date.year - $0, month: month, day: day) }.first { $0 <= today }
    }
}
