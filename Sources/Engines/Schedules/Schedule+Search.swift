extension Schedule {
    /// The first occurrence after an instant, whatever `COUNT` says.
    ///
    /// Goes through the zone's segments of constant offset. Within one, wall times and instants have the same order, so
    /// the rule's first wall time is the first instant. A segment after a gap also gets the wall times of the gap; the
    /// policy for overlaps narrows the wall times of both segments that share one.
    func search(after instant: Instant, includingExcluded: Bool) throws(ScheduleError) -> Occurrence? {
        if case .instant(let only) = rule {
            return only.seconds > instant.seconds ? occurrence(at: only) : nil
        }
        var steps = RecurrenceRule.maxSteps
        let lower = instant.seconds + 1
        var index = zone.index(at: lower)
        while index < zone.segments.count {
            let segment = zone.segments[index]
            let previous = index > 0 ? zone.segments[index - 1] : nil
            let following = index + 1 < zone.segments.count ? zone.segments[index + 1] : nil
            let from = max(lower, segment.start)
            let gap = try firstOfGap(previous, segment, from: from, includingExcluded, &steps)

            let repeated = previous.map { $0.endWall } ?? segment.startWall
            var query = from + segment.offset
            if daylight.overlap == .first { query = max(query, repeated) }
            var end = segment.endWall
            if daylight.overlap == .second, let following { end = min(end, following.startWall) }
            let wall = try firstWall(atOrAfter: WallTime(seconds: query), includingExcluded, &steps)

            if let wall, wall.seconds < end, wall.seconds - segment.offset >= from {
                let occurrence = Occurrence(
                    instant: Instant(seconds: wall.seconds - segment.offset), wall: wall,
                    fold: wall.seconds < repeated ? 1 : 0)
                return gap.map { $0.instant <= occurrence.instant ? $0 : occurrence } ?? occurrence
            }
            if let gap { return gap }
            guard let following else { return nil }
            index += 1
            // Until the clock goes back, no wall time before `wall` follows: go on shortly before it, or stop.
            if following.startWall >= query {
                guard let wall else { return nil }
                index = max(index, zone.index(at: wall.seconds - 2 * 86_400))
            }
        }
        return nil
    }

    /// The occurrence at an instant, to the second.
    private func occurrence(at instant: Instant) -> Occurrence {
        let index = zone.index(at: instant.seconds)
        let wall = WallTime(seconds: instant.seconds + zone.segments[index].offset)
        let isRepeated = index > 0 && wall.seconds < zone.segments[index - 1].endWall
        return Occurrence(instant: Instant(seconds: instant.seconds), wall: wall, fold: isRepeated ? 1 : 0)
    }

    /// The first occurrence that a wall time in the gap before `segment` leads to.
    private func firstOfGap(
        _ previous: ZoneRules.Segment?, _ segment: ZoneRules.Segment, from: Int64, _ includingExcluded: Bool,
        _ steps: inout Int
    ) throws(ScheduleError) -> Occurrence? {
        guard let previous, previous.offset < segment.offset else { return nil }
        let earliest: Int64
        switch daylight.gap {
        case .skip: return nil
        case .firstMomentAfter:
            guard from == segment.start else { return nil }
            earliest = previous.endWall
        case .shifted: earliest = from + previous.offset
        }
        guard earliest < segment.startWall,
            let wall = try firstWall(atOrAfter: WallTime(seconds: earliest), includingExcluded, &steps),
            wall.seconds < segment.startWall
        else { return nil }
        let seconds = daylight.gap == .shifted ? wall.seconds - previous.offset : segment.start
        return Occurrence(instant: Instant(seconds: seconds), wall: wall, fold: 0)
    }

    /// The rule's first wall time at or after another.
    private func firstWall(
        atOrAfter wall: WallTime, _ includingExcluded: Bool, _ steps: inout Int
    ) throws(ScheduleError) -> WallTime? {
        switch rule {
        case .instant: return nil
        case .once(let only): return only >= wall ? only : nil
        case .cron(let expression): return expression.first(atOrAfter: wall)
        case .recurrence(let rule):
            var found = try rule.first(atOrAfter: wall, steps: &steps)
            while let excluded = found, !includingExcluded, rule.excluded.contains(excluded) {
                found = try rule.first(atOrAfter: WallTime(seconds: excluded.seconds + 1), steps: &steps)
            }
            return found
        }
    }
}
