/// The POSIX `TZ` rule in the footer of a TZif file, such as `EST5EDT,M3.2.0,M11.1.0` (POSIX.1-2024, section 8.3; times
/// of -167 to 167 hours as in RFC 9636).
struct ZoneFooter: Equatable {
    /// A day of each year and a time from its midnight.
    struct Change: Equatable {
        enum Day: Equatable {
            /// `Jn`: day 1 to 365; February 29 is never counted.
            case withoutLeapDay(Int)
            /// `n`: day 0 to 365; February 29 is counted.
            case withLeapDay(Int)
            /// `Mm.w.d`: weekday d (0 for Sunday) of week w of a month; week 5 is the last.
            case weekday(month: Int, week: Int, weekday: Int)
        }

        var day: Day
        /// Seconds from midnight, negative for the day before.
        var time: Int64

        /// Seconds on the wall since 1970.
        func wall(year: Int) -> Int64 {
            let date: CivilDay
            switch day {
            case .withoutLeapDay(let number):
                date = CivilDay(year: year, month: 1, day: number + (CivilDay.isLeap(year) && number >= 60 ? 1 : 0))
            case .withLeapDay(let number):
                date = CivilDay(year: year, month: 1, day: 1).adding(number)
            case .weekday(let month, let week, let weekday):
                let first = CivilDay(year: year, month: month, day: 1)
                let day = 1 + CivilDay.floorRemainder(weekday - first.weekday, 7) + 7 * (week - 1)
                let length = CivilDay.length(ofMonth: month, year: year)
                date = CivilDay(year: year, month: month, day: day > length ? day - 7 : day)
            }
            return Int64(date.number) * 86_400 + time
        }
    }

    /// Daylight saving time: its offset, its start by the standard clock, its end by its own clock.
    struct Daylight: Equatable {
        var offset: Int64
        var start: Change
        var end: Change
    }

    /// Seconds to add to UTC in standard time.
    var standard: Int64
    /// Nil in a zone that does not change its clocks.
    var daylight: Daylight?

    /// The changes after a Unix time up to the year 2400, in ascending order; all from 1900 on without one.
    func transitions(after last: Int64?) -> [(at: Int64, offset: Int64)] {
        // Far within Int64, whatever the file says.
        let last = min(max(last ?? .min, -2_208_988_800), 1 << 40)
        guard let daylight else { return [(last + 1, standard)] }
        let firstYear = WallTime(seconds: last).date.year - 1
        guard firstYear <= 2400 else { return [] }
        var transitions: [(at: Int64, offset: Int64)] = []
        for year in max(firstYear, 1899)...2400 {
            let pair = [
                (at: daylight.start.wall(year: year) - standard, offset: daylight.offset),
                (at: daylight.end.wall(year: year) - daylight.offset, offset: standard),
            ]
            transitions += pair[0].at <= pair[1].at ? pair : pair.reversed()
        }
        // Neighbouring years touch where daylight saving time lasts all year: then the later one wins.
        return transitions.filter { $0.at > last }
    }
}
