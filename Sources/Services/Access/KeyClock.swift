#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time as keys need it, so that tests can bring their own.
package struct KeyClock: Sendable {
    /// Seconds since 1970, rounded down: for expiry and for the days of quotas.
    package var unixSeconds: @Sendable () -> Int64
    /// A clock that is never set: for rates.
    var instant: @Sendable () -> ContinuousClock.Instant

    /// The machine's clocks.
    package static let system = KeyClock(
        unixSeconds: { Int64(Date.now.timeIntervalSince1970.rounded(.down)) }, instant: { .now })
}
