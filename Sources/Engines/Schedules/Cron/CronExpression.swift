/// A cron expression: five fields for minute, hour, day of month, month and day of week.
///
/// A field is a list (`,`) of `*`, values, ranges `a-b`, and steps `*/n`, `a-b/n`, `a/n` (from a to the field's end).
/// Months and weekdays may be English names of three letters. Sunday is 0 or 7; a range may end on Sunday (`FRI-SUN`).
/// Otherwise ranges ascend. Also:
/// - day of month: `L` (last day), `L-3` (third before the last), `15W` (the weekday nearest to the 15th, in the same
///   month), `LW` (last weekday, Monday to Friday); `?` is `*`
/// - day of week: `FRI#2` (second Friday of the month), `FRIL` or `5L` (last Friday); `?` is `*`
/// - `@yearly`, `@annually`, `@monthly`, `@weekly`, `@daily`, `@midnight`, `@hourly`
///
/// If both day fields are restricted, a day that matches either of them counts. If one of them starts with `*` or `?`,
/// a day must match both. This is the rule of Vixie's cron.
package struct CronExpression: Sendable, Equatable {
    /// UTF-8 bytes of an expression at most.
    package static let maxBytes = 256

    /// Bits 0 to 59.
    let minutes: UInt64
    /// Bits 0 to 23.
    let hours: UInt64
    /// Bits 1 to 12.
    let months: UInt64
    let days: CronDays
    /// Whether minute or hour start with `*`: such a rule follows the hours that pass, not certain times of day.
    let isInterval: Bool

    private static let aliases = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// Reads an expression; case and the amount of white space do not matter.
    ///
    /// Throws ``ScheduleError``: `syntax`, or `neverFires` if no day of any year matches, such as February 30.
    package init(parsing text: String) throws(ScheduleError) {
        guard text.utf8.count <= Self.maxBytes else {
            throw ScheduleError(.syntax, "cron: expected at most \(Self.maxBytes) bytes, got \(text.utf8.count)")
        }
        var source = text.lowercased()[...]
        source = source.trimmingPrefix { $0.isWhitespace }
        while source.last?.isWhitespace == true { source.removeLast() }
        if source.hasPrefix("@") {
            guard let alias = Self.aliases[String(source)] else {
                throw ScheduleError(
                    .syntax, "cron \"\(source)\": expected \(Self.aliases.keys.sorted().joined(separator: ", "))")
            }
            source = alias[...]
        }
        let fields = source.split(whereSeparator: \.isWhitespace)
        guard fields.count == 5 else {
            throw ScheduleError(
                .syntax,
                "cron: expected 5 fields (minute hour day-of-month month day-of-week), got \(fields.count)")
        }
        minutes = try CronField.minute.values(of: fields[0])
        hours = try CronField.hour.values(of: fields[1])
        months = try CronField.month.values(of: fields[3])
        days = try CronDays(ofMonth: fields[2], ofWeek: fields[4])
        isInterval = fields[0].hasPrefix("*") || fields[1].hasPrefix("*")
        guard firstDay(onOrAfter: CivilDay(year: 2000, month: 1, day: 1)) != nil else {
            throw ScheduleError(.neverFires, "cron \"\(source)\" never fires: no day of any year matches")
        }
    }

    /// The first wall time at or after `wall` that matches; nil if there is none before 2400.
    func first(atOrAfter wall: WallTime) -> WallTime? {
        var minute = (wall.secondOfDay + 59) / 60
        var day = wall.day
        if minute < 1440, firstDay(onOrAfter: day) == day {
            if let minute = firstMinute(from: minute) { return WallTime(day: day, secondOfDay: minute * 60) }
        }
        minute = 0
        day = day.adding(1)
        guard let found = firstDay(onOrAfter: day), let minute = firstMinute(from: minute) else { return nil }
        return WallTime(day: found, secondOfDay: minute * 60)
    }

    /// The first matching minute of a day from `minute` (0 to 1439) on.
    private func firstMinute(from minute: Int) -> Int? {
        let hour = minute / 60
        if hours >> hour & 1 == 1 {
            let rest = minutes >> (minute % 60)
            if rest != 0 { return minute + rest.trailingZeroBitCount }
        }
        let later = hours >> (hour + 1)
        guard later != 0, minutes != 0 else { return nil }
        return (hour + 1 + later.trailingZeroBitCount) * 60 + minutes.trailingZeroBitCount
    }

    /// Looks at one month at a time: the calendar repeats after 4,800 months.
    private func firstDay(onOrAfter start: CivilDay) -> CivilDay? {
        var (year, month, day) = start.date
        while year < 2400 {
            if months >> month & 1 == 1 {
                let rest = days.mask(year: year, month: month) >> day
                if rest != 0 { return CivilDay(year: year, month: month, day: day + rest.trailingZeroBitCount) }
            }
            day = 1
            month += 1
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        return nil
    }
}
