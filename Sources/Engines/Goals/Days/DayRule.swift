package import Schedules

/// When a person's days begin: a zone and a time of day, for example 04:00 in Berlin.
///
/// Days follow each other without hole or overlap, whatever the clocks do: a day begins at the first instant at which
/// the clock on the wall shows its start or more. A day that the zone skipped is empty.
package struct DayRule: Sendable, Equatable {
    /// Where the clock hangs.
    package let zone: ZoneRules
    /// Minutes after midnight at which the day begins, 0 to 1439.
    package let startMinute: Int

    /// Creates a rule; nil for a start outside of 0 to 1439.
    package init?(zone: ZoneRules, startMinute: Int = 0) {
        guard (0..<1440).contains(startMinute) else { return nil }
        self.zone = zone
        self.startMinute = startMinute
    }

    /// The first instant of a day.
    package func start(of day: LocalDay) -> Instant {
        firstInstant(atOrAfter: day.midnight.seconds + Int64(startMinute) * 60)
    }

    /// The instant of a day at which the clock shows a time: for 01:30, with days from 04:00, in the night at its end.
    ///
    /// Of two such instants the first; for a time in a gap the end of the gap. The result belongs to the day, unless the zone
    /// skipped the day. `minute` is 0 to 1439; other values become the nearest end.
    package func instant(of day: LocalDay, minute: Int) -> Instant {
        let minute = min(max(minute, 0), 1439)
        let date = minute < startMinute ? day.adding(1) : day
        let instants = instants(of: day)
        let found = firstInstant(atOrAfter: date.midnight.seconds + Int64(minute) * 60)
        guard found >= instants.lowerBound else { return instants.lowerBound }
        return found < instants.upperBound
            ? found : max(instants.lowerBound, instants.upperBound.adding(milliseconds: -1))
    }

    /// The first instant at which the clock shows a wall time, in seconds since 1970 on the wall, or more.
    private func firstInstant(atOrAfter wall: Int64) -> Instant {
        var segment = zone.segment(at: Instant(seconds: wall - 2 * 86_400))
        // Within a segment the wall and time run alike. Zones have few changes within four days.
        for _ in 0..<16 {
            let reached = max(segment.start, wall - segment.offset)
            if reached < segment.end { return Instant(seconds: reached) }
            segment = zone.segment(at: Instant(seconds: segment.end))
        }
        return Instant(seconds: wall - segment.offset)
    }

    /// The instants of a day; empty for a day that the zone skipped.
    package func instants(of day: LocalDay) -> Range<Instant> {
        let start = start(of: day)
        return start..<max(start, self.start(of: day.adding(1)))
    }

    /// The day that an instant belongs to. Later instants never belong to earlier days.
    package func day(of instant: Instant) -> LocalDay {
        let wall = zone.wall(at: instant)
        var day = LocalDay(WallTime(seconds: wall.seconds - Int64(startMinute) * 60))
        // The clock may have gone back over the start of a day that had begun.
        while day < .latest, start(of: day.adding(1)) <= instant { day = day.adding(1) }
        return day
    }

    /// The time that the clock shows, in minutes after midnight.
    package func minute(of instant: Instant) -> Int {
        let seconds = zone.wall(at: instant).seconds
        return Int(((seconds % 86_400) + 86_400) % 86_400 / 60)
    }

    /// What is stored with an action: its day, and the rule that was in force.
    package func stamp(_ instant: Instant) -> DayStamp {
        DayStamp(day: day(of: instant), zone: zone.name, startMinute: startMinute)
    }
}
