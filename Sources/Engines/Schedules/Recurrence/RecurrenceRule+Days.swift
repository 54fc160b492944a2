extension RecurrenceRule {
    /// Whether a day passes all of the rule's filters: month, day of month, weekday.
    ///
    /// The filters that the rule leaves open were filled in from the start when it was read.
    func matches(_ day: CivilDay) -> Bool {
        let (year, month, dayOfMonth) = day.date
        guard months >> UInt64(month) & 1 == 1 else { return false }
        let length = CivilDay.length(ofMonth: month, year: year)
        if let monthDays {
            guard
                monthDays.fromStart >> UInt64(dayOfMonth) & 1 == 1
                    || monthDays.fromEnd >> UInt64(length - dayOfMonth + 1) & 1 == 1
            else { return false }
        }
        guard let weekdays else { return true }
        let weekday = day.weekday
        if weekdays >> UInt64(weekday) & 1 == 1 { return true }
        guard nthWeekdays.contains(where: { $0.weekday == weekday }) else { return false }
        var fromStart = dayOfMonth
        var fromEnd = length - dayOfMonth
        if frequency == .yearly, !hasMonths {
            fromStart = day.number - CivilDay(year: year, month: 1, day: 1).number + 1
            fromEnd = CivilDay(year: year, month: 12, day: 31).number - day.number
        }
        let positions = ((fromStart - 1) / 7 + 1, -(fromEnd / 7 + 1))
        return nthWeekdays.contains {
            $0.weekday == weekday && ($0.position == positions.0 || $0.position == positions.1)
        }
    }

    /// The first day of the period with a number, counted from the period of the start.
    func firstDay(ofPeriod number: Int) -> CivilDay {
        let (year, month, _) = start.date
        switch frequency {
        case .yearly: return CivilDay(year: year + number, month: 1, day: 1)
        case .monthly:
            let months = year * 12 + month - 1 + number
            return CivilDay(year: months / 12, month: months % 12 + 1, day: 1)
        case .weekly: return firstDay(ofWeekWith: start.day).adding(7 * number)
        case .daily, .hourly, .minutely: return start.day.adding(number)
        }
    }

    /// The number of the period that a day is in.
    func period(of day: CivilDay) -> Int {
        let (startYear, startMonth, _) = start.date
        let (year, month, _) = day.date
        switch frequency {
        case .yearly: return year - startYear
        case .monthly: return (year - startYear) * 12 + month - startMonth
        case .weekly:
            return CivilDay.floorQuotient(day.number - firstDay(ofWeekWith: start.day).number, 7)
        case .daily, .hourly, .minutely: return day.number - start.day.number
        }
    }

    private func firstDay(ofWeekWith day: CivilDay) -> CivilDay {
        day.adding(-CivilDay.floorRemainder(day.weekday - weekStart, 7))
    }
}
