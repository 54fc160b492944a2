/// What a clock on the wall shows: date and time of day, to the second, without a zone.
///
/// Values are clamped to the days from 1899-12-31 to 2400-01-01: what any zone shows during the range of ``Instant``.
package struct WallTime: Hashable, Comparable, Sendable {
    private static let range: ClosedRange<Int64> = -2_209_075_200...13_569_551_999

    /// Seconds from 1970-01-01T00:00:00 on the same wall.
    package let seconds: Int64

    /// Creates a wall time from seconds since 1970 on the wall, clamped.
    package init(seconds: Int64) {
        self.seconds = min(max(seconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Creates a wall time; nil for a date that does not exist, a time outside 00:00:00 to 23:59:59, or a year outside
    /// 1900 to 2399.
    package init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1900...2399).contains(year), (1...12).contains(month),
            (1...CivilDay.length(ofMonth: month, year: year)).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        self.init(
            day: CivilDay(year: year, month: month, day: day), secondOfDay: hour * 3600 + minute * 60 + second)
    }

    init(day: CivilDay, secondOfDay: Int) { self.init(seconds: Int64(day.number) * 86_400 + Int64(secondOfDay)) }

    var day: CivilDay { CivilDay(number: CivilDay.floorQuotient(Int(seconds), 86_400)) }

    var secondOfDay: Int { CivilDay.floorRemainder(Int(seconds), 86_400) }

    /// 0 for Sunday to 6 for Saturday.
    package var weekday: Int { day.weekday }
    /// 0 to 1439.
    package var minuteOfDay: Int { secondOfDay / 60 }

    /// Year, month (1 to 12) and day (1 to 31).
    package var date: (year: Int, month: Int, day: Int) { day.date }

    /// Compares by date, then time of day.
    package static func < (a: WallTime, b: WallTime) -> Bool { a.seconds < b.seconds }
}

extension WallTime: CustomStringConvertible {
    /// Reads `2026-03-08T02:30`, `2026-03-08T02:30:00`, a space in place of `T`, or iCalendar's `20260308T023000`; nil
    /// for other text.
    package init?(parsing text: some StringProtocol) {
        let bytes = Array(text.utf8.prefix(20))
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        func has(_ marks: String, at index: Int) -> Bool { index < bytes.count && marks.utf8.contains(bytes[index]) }
        let basic = bytes.count == 15 && has("T", at: 8)
        let extended =
            (bytes.count == 16 || bytes.count == 19 && has(":", at: 16)) && has("-", at: 4) && has("-", at: 7)
            && has("T ", at: 10) && has(":", at: 13)
        guard basic || extended, let year = number(0..<4), let month = number(basic ? 4..<6 : 5..<7),
            let day = number(basic ? 6..<8 : 8..<10), let hour = number(basic ? 9..<11 : 11..<13),
            let minute = number(basic ? 11..<13 : 14..<16),
            let second = basic ? number(13..<15) : bytes.count == 19 ? number(17..<19) : 0
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// ISO 8601 without a zone, such as `2026-03-08T02:30:00`.
    package var description: String {
        func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        let (year, month, day) = date
        let second = secondOfDay
        return "\(year)-\(two(month))-\(two(day))T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    }
}
