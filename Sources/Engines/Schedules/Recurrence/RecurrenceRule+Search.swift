extension RecurrenceRule {
    /// The first wall time at or after `wall` that the rule names, whether excluded or not; nil if there is none before
    /// 2400 or the end of `UNTIL`. `COUNT` and a UTC `UNTIL` are left to the caller, who knows the zone.
    ///
    /// Takes a step off `steps` for each period and day it looks at. Throws `neverFires` when none is left.
    func first(atOrAfter wall: WallTime, steps: inout Int) throws(ScheduleError) -> WallTime? {
        let from = max(wall, start)
        let found =
            isInterval ? try firstOfInterval(atOrAfter: from, &steps) : try firstOfDays(atOrAfter: from, &steps)
        if let found, case .wall(let last) = until, found > last { return nil }
        return found
    }

    // MARK: Periods of days

    private func firstOfDays(atOrAfter from: WallTime, _ steps: inout Int) throws(ScheduleError) -> WallTime? {
        let times = secondsOfDay
        var period = aligned(period(of: from.day))
        while true {
            let first = firstDay(ofPeriod: period)
            let end = firstDay(ofPeriod: period + 1)
            guard first.date.year < 2400 else { return nil }
            try spend(1, of: &steps)
            if positions.isEmpty {
                var day = max(first, from.day)
                while let match = try firstMatch(from: day, before: end, &steps) {
                    let earliest = match == from.day ? from.secondOfDay : 0
                    if let second = times.first(where: { $0 >= earliest }) {
                        return WallTime(day: match, secondOfDay: second)
                    }
                    day = match.adding(1)
                }
            } else if let found = try chosen(in: first, end, times, atOrAfter: from, &steps) {
                return found
            }
            period += interval
        }
    }

    /// The first of the times that `BYSETPOS` chooses within a period.
    private func chosen(
        in first: CivilDay, _ end: CivilDay, _ times: [Int], atOrAfter from: WallTime, _ steps: inout Int
    ) throws(ScheduleError) -> WallTime? {
        var days: [CivilDay] = []
        var day = first
        while let match = try firstMatch(from: day, before: end, &steps) {
            days.append(match)
            day = match.adding(1)
        }
        let count = days.count * times.count
        var earliest: WallTime?
        for position in positions {
            let index = position > 0 ? position - 1 : count + position
            guard (0..<count).contains(index) else { continue }
            let time = WallTime(day: days[index / times.count], secondOfDay: times[index % times.count])
            if time >= from { earliest = min(earliest ?? time, time) }
        }
        return earliest
    }

    /// The first matching day of a range; skips months that do not match.
    private func firstMatch(
        from start: CivilDay, before end: CivilDay, _ steps: inout Int
    ) throws(ScheduleError) -> CivilDay? {
        var day = start
        while day < end {
            try spend(1, of: &steps)
            if matches(day) { return day }
            let (year, month, _) = day.date
            let isMonth = months >> UInt64(month) & 1 == 1
            day = isMonth ? day.adding(1) : CivilDay(year: year, month: month, day: 1).adding(31)
            // Day 1 and 31 days is within the next month; its first day comes next.
            if !isMonth { day = CivilDay(year: day.date.year, month: day.date.month, day: 1) }
        }
        return nil
    }

    /// The times of a matching day in seconds, ascending.
    private var secondsOfDay: [Int] {
        let second = start.secondOfDay
        let hours = hours.map(Self.values) ?? [second / 3600]
        let minutes = minutes.map(Self.values) ?? [second / 60 % 60]
        return hours.flatMap { hour in minutes.map { hour * 3600 + $0 * 60 + second % 60 } }
    }

    // MARK: Periods of hours and minutes

    private func firstOfInterval(atOrAfter from: WallTime, _ steps: inout Int) throws(ScheduleError) -> WallTime? {
        let unit = frequency == .hourly ? 3600 : 60
        let unitsOfDay = 86_400 / unit
        let origin = CivilDay.floorQuotient(Int(start.seconds), unit)
        var period = aligned(CivilDay.floorQuotient(Int(from.seconds), unit) - origin)
        while true {
            try spend(1, of: &steps)
            let number = origin + period
            let day = CivilDay(number: CivilDay.floorQuotient(number, unitsOfDay))
            guard day.date.year < 2400 else { return nil }
            guard matches(day) else {
                period = aligned(day.adding(1).number * unitsOfDay - origin)
                continue
            }
            let minute = CivilDay.floorRemainder(number, unitsOfDay) * unit / 60
            if let hours, hours >> UInt64(minute / 60) & 1 == 0 {
                period = aligned((day.number * 24 + minute / 60 + 1) * 3600 / unit - origin)
                continue
            }
            let found = minutesOfPeriod(minute: minute).lazy
                .map { WallTime(day: day, secondOfDay: $0 * 60 + Int(self.start.secondOfDay % 60)) }
                .first { $0 >= from }
            if let found { return found }
            period += interval
        }
    }

    /// The matching minutes of the day within a period that starts at `minute`.
    private func minutesOfPeriod(minute: Int) -> [Int] {
        let all: [Int]
        if frequency == .hourly {
            all = (minutes.map(Self.values) ?? [start.secondOfDay / 60 % 60]).map { minute + $0 }
        } else {
            all = minutes.map { $0 >> UInt64(minute % 60) & 1 == 1 } ?? true ? [minute] : []
        }
        guard !positions.isEmpty else { return all }
        return all.indices.filter { positions.contains($0 + 1) || positions.contains($0 - all.count) }.map { all[$0] }
    }

    // MARK: Steps

    /// The first number of a period at or after `period` that `INTERVAL` does not skip.
    private func aligned(_ period: Int) -> Int {
        guard period > 0 else { return 0 }
        return (period + interval - 1) / interval * interval
    }

    private func spend(_ count: Int, of steps: inout Int) throws(ScheduleError) {
        steps -= count
        guard steps > 0 else {
            throw ScheduleError(.neverFires, "recurrence rule never fires: no time found in \(Self.maxSteps) steps")
        }
    }

    private static func values(_ bits: UInt64) -> [Int] { (0..<64).filter { bits >> UInt64($0) & 1 == 1 } }
}
