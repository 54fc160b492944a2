package import Schedules

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The time of notifications: the clock of the machine, and its texts.
package enum PushTime {
    /// The current time.
    package static var now: Instant { Instant(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) }

    /// Reads ISO 8601 with `Z` or an offset, or without a zone as UTC; nil for other text.
    package static func instant(_ text: String) -> Instant? {
        guard text.utf8.count <= 40 else { return nil }
        var rest = text[...]
        var offset: Int64 = 0
        if rest.hasSuffix("Z") || rest.hasSuffix("z") {
            rest = rest.dropLast()
        } else if rest.utf8.count > 6 {
            let tail = rest.suffix(6)
            let parts = tail.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            if let sign = tail.first, sign == "+" || sign == "-", parts.count == 2, let hours = Int64(parts[0]),
                let minutes = Int64(parts[1]), (0...23).contains(hours), (0...59).contains(minutes)
            {
                offset = (sign == "+" ? 1 : -1) * (hours * 3600 + minutes * 60)
                rest = rest.dropLast(6)
            }
        }
        // A fraction of a second is cut off.
        if let dot = rest.lastIndex(of: "."), rest[rest.index(after: dot)...].allSatisfy(\.isNumber) {
            rest = rest[..<dot]
        }
        guard let wall = WallTime(parsing: rest) else { return nil }
        return Instant(seconds: wall.seconds - offset)
    }

    /// ISO 8601 in UTC of milliseconds since 1970, to the second.
    package static func text(_ milliseconds: Int64) -> String {
        Instant(seconds: Instant(milliseconds: milliseconds).seconds).description
    }

    /// The same, where the time may be missing.
    package static func text(_ milliseconds: Int64?) -> String? { milliseconds.map { text($0) } }
}
