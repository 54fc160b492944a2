import Foundation
import GatewayAPI

/// A day in UTC, counted from 1970-01-01.
package struct UTCDay: Hashable, Comparable, Sendable {
    /// Seconds per day.
    package static let seconds: Int64 = 86_400

    /// Days since 1970-01-01.
    package let number: Int64

    /// Creates the day of a time in seconds since 1970.
    package init(unixSeconds: Int64) {
        // Rounds down, also before 1970.
        let (days, rest) = unixSeconds.quotientAndRemainder(dividingBy: Self.seconds)
        number = rest < 0 ? days - 1 : days
    }

    fileprivate init(number: Int64) { self.number = number }

    /// The current day.
    package static var today: UTCDay { UTCDay(unixSeconds: Int64(Date.now.timeIntervalSince1970.rounded(.down))) }

    /// The start of the next day, in seconds since 1970.
    package var end: Int64 { (number + 1) * Self.seconds }

    /// The first day of the month.
    package var firstOfMonth: UTCDay {
        Timestamp.unixSeconds(text.prefix(8) + "01").map { UTCDay(unixSeconds: $0) } ?? self
    }

    /// The first day of the next month.
    package var firstOfNextMonth: UTCDay { UTCDay(number: firstOfMonth.number + 31).firstOfMonth }

    /// The day as `YYYY-MM-DD`.
    package var text: String { String(Timestamp.text(number * Self.seconds).prefix(10)) }

    /// Whether one day comes before another.
    package static func < (left: UTCDay, right: UTCDay) -> Bool { left.number < right.number }
}
