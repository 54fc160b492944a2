/// The two day fields of a cron expression.
struct CronDays: Sendable, Equatable {
    /// Days 1 to 31 as bits.
    private var ofMonth: UInt64 = 0
    /// Bit n: the day n days before the last of the month.
    private var beforeLast: UInt64 = 0
    /// Bit n: the weekday nearest to day n.
    private var nearestWeekday: UInt64 = 0
    private var lastWeekday = false
    /// Weekdays 0 (Sunday) to 6 as bits.
    private var ofWeek: UInt64 = 0
    /// For each weekday, bit n: the nth one of the month.
    private var nth = [UInt64](repeating: 0, count: 7)
    /// Weekdays as bits: the last one of the month.
    private var lastOfWeek: UInt64 = 0
    /// Whether a day must match both fields.
    private let needsBoth: Bool

    /// Reads both fields, in lower case.
    init(ofMonth month: Substring, ofWeek week: Substring) throws(ScheduleError) {
        needsBoth = [month, week].contains { $0.hasPrefix("*") || $0.hasPrefix("?") }
        for item in month.split(separator: ",", omittingEmptySubsequences: false) { try readDayOfMonth(item) }
        for item in week.split(separator: ",", omittingEmptySubsequences: false) { try readDayOfWeek(item) }
        if ofWeek >> 7 & 1 == 1 { ofWeek |= 1 }
        ofWeek &= 0x7F
    }

    private mutating func readDayOfMonth(_ item: Substring) throws(ScheduleError) {
        let field = CronField.dayOfMonth
        if item == "?" {
            ofMonth |= ~1
        } else if item == "lw" {
            lastWeekday = true
        } else if item == "l" {
            beforeLast |= 1
        } else if item.hasPrefix("l-") {
            guard let number = field.number(item.dropFirst(2)), (0...30).contains(number) else {
                throw field.error(item, "expected L- and 0 to 30")
            }
            beforeLast |= 1 << UInt64(number)
        } else if item.hasSuffix("w") {
            nearestWeekday |= 1 << UInt64(try field.value(item.dropLast(), in: item))
        } else {
            ofMonth |= try field.values(ofItem: item)
        }
    }

    private mutating func readDayOfWeek(_ item: Substring) throws(ScheduleError) {
        let field = CronField.dayOfWeek
        if item == "?" {
            ofWeek |= 0x7F
        } else if let mark = item.firstIndex(of: "#") {
            let weekday = try field.value(item[..<mark], in: item) % 7
            guard let number = field.number(item[item.index(after: mark)...]), (1...5).contains(number) else {
                throw field.error(item, "expected 1 to 5 behind \"#\"")
            }
            nth[weekday] |= 1 << UInt64(number)
        } else if item.hasSuffix("l") {
            lastOfWeek |= 1 << UInt64(try field.value(item.dropLast(), in: item) % 7)
        } else {
            ofWeek |= try field.values(ofItem: item)
        }
    }

    /// The matching days of a month as bits 1 to 31.
    func mask(year: Int, month: Int) -> UInt64 {
        let length = CivilDay.length(ofMonth: month, year: year)
        let all: UInt64 = (1 << UInt64(length + 1)) - 2
        let firstWeekday = CivilDay(year: year, month: month, day: 1).weekday
        func weekday(of day: Int) -> Int { (firstWeekday + day - 1) % 7 }

        var month = ofMonth
        if beforeLast != 0 {
            for day in 1...length where beforeLast >> UInt64(length - day) & 1 == 1 { month |= 1 << UInt64(day) }
        }
        if lastWeekday {
            let day = [0: length - 2, 6: length - 1][weekday(of: length)] ?? length
            month |= 1 << UInt64(day)
        }
        if nearestWeekday != 0 {
            for day in 1...length where nearestWeekday >> UInt64(day) & 1 == 1 {
                let moved =
                    switch weekday(of: day) {
                    case 6: day == 1 ? 3 : day - 1
                    case 0: day == length ? day - 2 : day + 1
                    default: day
                    }
                month |= 1 << UInt64(moved)
            }
        }

        var week: UInt64 = 0
        for number in 0..<7 {
            let first = 1 + (number - firstWeekday + 7) % 7
            let days = (Self.everySeventh << UInt64(first)) & all
            if ofWeek >> UInt64(number) & 1 == 1 { week |= days }
            if lastOfWeek >> UInt64(number) & 1 == 1 { week |= 1 << UInt64(63 - days.leadingZeroBitCount) }
            for occurrence in 1...5 where nth[number] >> UInt64(occurrence) & 1 == 1 {
                week |= days & (1 << UInt64(first + 7 * (occurrence - 1)))
            }
        }
        return (needsBoth ? month & week : month | week) & all
    }

    /// Bits 0, 7, 14, 21 and 28.
    private static let everySeventh: UInt64 = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28
}
