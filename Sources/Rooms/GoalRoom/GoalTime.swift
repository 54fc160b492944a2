import GatewayAPI
package import Goals
package import Schedules

/// Times as the original app and others store them.
package enum GoalTime {
    /// The instant of a stored time.
    ///
    /// A time without an offset is one that a clock of the zone showed; a date alone is its noon. Nil for other text.
    package static func instant(_ text: String, in zone: ZoneRules) -> Instant? {
        guard text.utf8.count <= 64 else { return nil }
        if text.utf8.count == 10, LocalDay(parsing: text) != nil {
            return WallTime(parsing: "\(text)T12:00").flatMap { zone.instants(of: $0).first }
        }
        let time = text.dropFirst(11)
        if time.contains(where: { "Zz+-".contains($0) }) {
            return Timestamp.unixSeconds(text).map { Instant(seconds: $0) }
        }
        let whole = text.prefix(text.utf8.count >= 19 ? 19 : 16)
        guard let wall = WallTime(parsing: whole) else { return nil }
        if let instant = zone.instants(of: wall).first { return instant }
        // A time in the gap of a change of the clocks.
        let segment = zone.segment(at: Instant(seconds: wall.seconds - 86_400))
        return Instant(seconds: wall.seconds - segment.offset)
    }

    /// The day of a stored date or time: its first ten characters.
    package static func day(_ text: String?) -> LocalDay? { text.flatMap { LocalDay(parsing: $0.prefix(10)) } }

    /// The day, time and rule to store with an action, from its start or else from the time of its log entry, else from now.
    package static func stamp(
        start: String?, logTime: String?, rule: DayRule, now: Instant
    ) -> (stamp: DayStamp, at: Instant) {
        let at = start.flatMap { instant($0, in: rule.zone) } ?? logTime.flatMap { instant($0, in: rule.zone) } ?? now
        return (rule.stamp(at), at)
    }
}
