import GatewayAPI

/// The expiry of a key as people write it.
package enum KeyExpiry: Sendable, Hashable {
    /// The key does not expire.
    case never
    /// Seconds since 1970.
    case at(Int64)

    /// Parses `never`, a number of days or hours from now (`30d`, `12h`), or a date; nil for anything else.
    ///
    /// - Parameter now: Seconds since 1970.
    package init?(_ text: String, now: Int64) {
        if text == "never" {
            self = .never
        } else if let seconds = Timestamp.unixSeconds(text) {
            self = .at(seconds)
        } else {
            let units: [Character: Int64] = ["h": 3600, "d": UTCDay.seconds]
            guard let unit = text.last.flatMap({ units[$0] }), let count = UInt16(text.dropLast()), count > 0 else {
                return nil
            }
            self = .at(now + Int64(count) * unit)
        }
    }

    /// Seconds since 1970; nil for never.
    package var unixSeconds: Int64? {
        if case .at(let seconds) = self { seconds } else { nil }
    }
}
