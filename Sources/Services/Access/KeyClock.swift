#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The clocks that keys use, replaceable in tests.
package struct KeyClock: Sendable {
    /// Seconds since 1970, rounded down: for expiry and for the days of quotas.
    package var unixSeconds: @Sendable () -> Int64
    /// A monotonic clock: for rates.
    var instant: @Sendable () -> ContinuousClock.Instant

    package static let system = KeyClock(
        unixSeconds: { Int64(Date.now.timeIntervalSince1970.rounded(.down)) }, instant: { .now })
}
