package import Schedules

/// A day of a person's calendar, from 1900-01-01 to 2399-12-31.
///
/// It has no zone: which instants belong to it says a ``DayRule``.
package struct LocalDay: Hashable, Comparable, Sendable {
    /// 1900-01-01.
    package static let earliest = LocalDay(number: .min)
    /// 2399-12-31.
    package static let latest = LocalDay(number: .max)

    private static let numbers = -25_567...157_053

    /// Days since 1970-01-01.
    package let number: Int

    /// Creates a day by its number; numbers out of range become the nearest end.
    package init(number: Int) { self.number = min(max(number, Self.numbers.lowerBound), Self.numbers.upperBound) }

    /// Creates a day by its date; nil for a date that does not exist or a year outside 1900 to 2399.
    package init?(year: Int, month: Int, day: Int) {
        guard let wall = WallTime(year: year, month: month, day: day) else { return nil }
        self.init(wall)
    }

    /// The date that a clock on the wall shows.
    package init(_ wall: WallTime) {
        let rest = wall.seconds % 86_400
        self.init(number: Int((wall.seconds - (rest < 0 ? rest + 86_400 : rest)) / 86_400))
    }

    /// Midnight of the day, on the wall.
    var midnight: WallTime { WallTime(seconds: Int64(number) * 86_400) }

    /// Year, month (1 to 12) and day (1 to 31).
    package var date: (year: Int, month: Int, day: Int) { midnight.date }

    /// 0 for Sunday to 6 for Saturday.
    package var weekday: Int { midnight.weekday }

    /// The day some days later (earlier if negative), within the range.
    package func adding(_ days: Int) -> LocalDay {
        let (sum, overflow) = number.addingReportingOverflow(days)
        return LocalDay(number: overflow ? (days < 0 ? .min : .max) : sum)
    }

    /// Days from this one to another; negative for an earlier one.
    package func days(until other: LocalDay) -> Int { other.number - number }

    /// Compares by date.
    package static func < (a: LocalDay, b: LocalDay) -> Bool { a.number < b.number }
}

extension LocalDay: CustomStringConvertible {
    /// Reads `2026-11-22`; nil for other text and for dates that do not exist.
    package init?(parsing text: some StringProtocol) {
        guard text.utf8.count == 10, let wall = WallTime(parsing: "\(text)T00:00") else { return nil }
        self.init(wall)
    }

    /// ISO 8601, such as `2026-11-22`.
    package var description: String {
        let (year, month, day) = date
        let dash = UInt8(ascii: "-")
        func digit(_ value: Int) -> UInt8 { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10) }
        // Years have four digits. A chart has thousands of days.
        return String(
            decoding: [
                digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), dash, digit(month / 10),
                digit(month),
                dash, digit(day / 10), digit(day),
            ], as: UTF8.self)
    }
}
