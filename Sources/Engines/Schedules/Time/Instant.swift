/// A moment in milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Values are clamped to the years 1900 to 2399, so that differences and sums of instants cannot overflow.
package struct Instant: Hashable, Comparable, Sendable {
    /// 1900-01-01T00:00:00Z.
    package static let earliest = Instant(milliseconds: .min)
    /// 2399-12-31T23:59:59.999Z.
    package static let latest = Instant(milliseconds: .max)

    private static let range: ClosedRange<Int64> = -2_208_988_800_000...13_569_465_599_999

    /// Milliseconds since 1970.
    package let milliseconds: Int64

    /// Creates an instant; values outside the years 1900 to 2399 become the nearest end.
    package init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Creates an instant from whole seconds since 1970; clamps as ``init(milliseconds:)`` does.
    package init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        self.init(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
    }

    /// Whole seconds since 1970, rounded down.
    package var seconds: Int64 {
        milliseconds >= 0 ? milliseconds / 1000 : -((999 - milliseconds) / 1000)
    }

    /// The instant `milliseconds` later (earlier if negative), clamped.
    package func adding(milliseconds other: Int64) -> Instant {
        let (sum, overflow) = milliseconds.addingReportingOverflow(other)
        return Instant(milliseconds: overflow ? (other < 0 ? .min : .max) : sum)
    }

    /// The instant `seconds` later (earlier if negative), clamped.
    package func adding(seconds: Int64) -> Instant {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        return adding(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
    }

    /// Compares by time.
    package static func < (a: Instant, b: Instant) -> Bool { a.milliseconds < b.milliseconds }
}

extension Instant: CustomStringConvertible {
    /// ISO 8601 in UTC, such as `2026-03-08T07:00:00Z`; milliseconds only if there are some.
    package var description: String {
        let fraction = milliseconds - seconds * 1000
        let digits = String(fraction)
        let padded = String(repeating: "0", count: 3 - digits.count) + digits
        return "\(WallTime(seconds: seconds))\(fraction == 0 ? "" : "." + padded)Z"
    }
}
