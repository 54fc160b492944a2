package import Schedules

/// Reads the header `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The longest wait that is believed: 7 days.
    package static let longest: Int64 = 7 * 86_400

    /// Returns the seconds to wait, 0 to ``longest``; nil for a text that is neither seconds nor a date.
    ///
    /// A date in the past gives 0. Of the three date forms only the current one is read, such as
    /// `Sun, 06 Nov 1994 08:49:37 GMT`; servers have to send it.
    package static func seconds(_ text: String?, now: Instant) -> Int64? {
        guard let text, text.utf8.count <= 64 else { return nil }
        let trimmed = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let bytes = Array(trimmed.reversed().drop { $0 == 0x20 || $0 == 0x09 }.reversed())
        if let first = bytes.first, first.isDigit {
            guard bytes.allSatisfy(\.isDigit) else { return nil }
            // More digits than a number holds mean a long wait, too.
            return min(Int64(String(decoding: bytes, as: UTF8.self)) ?? longest, longest)
        }
        guard let date = date(bytes) else { return nil }
        return min(max(date.seconds - now.seconds, 0), longest)
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func date(_ bytes: [UInt8]) -> Instant? {
        let parts = bytes.split(separator: 0x20, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[5] == "GMT",
            let month = months.firstIndex(of: parts[2])
        else { return nil }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        let sizes = [(1, 2), (3, 4), (4, 8)]
        guard sizes.allSatisfy({ parts[$0.0].utf8.count == $0.1 }),
            let wall = WallTime(parsing: "\(parts[3])-\(number)-\(parts[1])T\(parts[4])")
        else { return nil }
        return Instant(seconds: wall.seconds)
    }
}
