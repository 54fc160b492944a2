/// A rule in a zone: when something is due.
///
/// A search costs a few microseconds. Rules that never fire are rejected when the schedule is made, and no search does
/// more than ``RecurrenceRule/maxSteps`` steps.
package struct Schedule: Sendable, Equatable {
    /// What repeats.
    package let rule: ScheduleRule
    /// Where the clock on the wall hangs.
    package let zone: ZoneRules
    /// What happens when the clocks change.
    package let daylight: DaylightPolicy

    /// The last instant that may fire, from `COUNT` or a UTC `UNTIL`.
    private var last = Instant.latest

    /// Creates a schedule; `daylight` nil is ``ScheduleRule/defaultDaylight``.
    ///
    /// Throws ``ScheduleError`` of the kind `neverFires` if the rule has no occurrence at all: for example a day that
    /// no month has, a time that is always in a skipped gap, or an `UNTIL` before the start.
    package init(rule: ScheduleRule, zone: ZoneRules, daylight: DaylightPolicy? = nil) throws(ScheduleError) {
        self.rule = rule
        self.zone = zone
        self.daylight = daylight ?? rule.defaultDaylight
        if case .recurrence(let rule) = rule {
            if case .instant(let until) = rule.until { last = until }
            if let count = rule.count { last = try instant(ofCount: count) }
        }
        guard try next(after: .earliest) != nil else {
            throw ScheduleError(.neverFires, "the schedule never fires in zone \(zone.name)")
        }
    }

    /// The first occurrence after an instant; nil if there is none before 2400.
    ///
    /// Throws ``ScheduleError`` of the kind `neverFires` if a search exceeds its steps, though earlier ones found a
    /// time.
    package func next(after instant: Instant) throws(ScheduleError) -> Occurrence? {
        guard let next = try search(after: instant, includingExcluded: false), next.instant <= last else { return nil }
        return next
    }

    /// The occurrences from the range's start up to before its end, the first `limit` of them.
    package func occurrences(in range: Range<Instant>, limit: Int) throws(ScheduleError) -> [Occurrence] {
        var occurrences: [Occurrence] = []
        var after = range.lowerBound.adding(milliseconds: -1)
        while occurrences.count < limit, let next = try next(after: after), next.instant < range.upperBound {
            occurrences.append(next)
            after = next.instant
        }
        return occurrences
    }

    /// The last occurrence in a range, by bisection: about 40 searches at most.
    package func last(in range: Range<Instant>) throws(ScheduleError) -> Occurrence? {
        var after = range.lowerBound.adding(milliseconds: -1)
        guard var found = try next(after: after), found.instant < range.upperBound else { return nil }
        after = found.instant
        // An occurrence after `after` is known to exist only while one is found; nothing is due from `end` on.
        var end = range.upperBound
        while after.seconds + 1 < end.seconds {
            let middle = Instant(seconds: (after.seconds + end.seconds) / 2)
            if let next = try next(after: middle), next.instant < range.upperBound {
                found = next
                after = next.instant
            } else {
                end = middle
            }
        }
        if let next = try next(after: after), next.instant < range.upperBound { found = next }
        return found
    }

    /// The instant of the last occurrence that `COUNT` allows.
    private func instant(ofCount count: Int) throws(ScheduleError) -> Instant {
        var instant = Instant.earliest
        for _ in 0..<count {
            guard let next = try search(after: instant, includingExcluded: true) else { break }
            instant = next.instant
        }
        return instant
    }
}
