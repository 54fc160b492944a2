/// The offsets of one zone from 1900 to 2400, as stretches of time with a constant offset.
package struct ZoneRules: Sendable, Equatable {
    /// A stretch of time with one offset. Neighbours have different offsets.
    package struct Segment: Sendable, Equatable {
        /// Unix time of the first second. The first segment starts before any ``Instant``.
        package let start: Int64
        /// Unix time after the last second. The last segment ends after any ``Instant``.
        package let end: Int64
        /// Seconds to add to UTC.
        package let offset: Int64

        var startWall: Int64 { start + offset }
        var endWall: Int64 { end + offset }
    }

    /// UTC, which needs no file.
    package static let utc = ZoneRules(name: "UTC", initialOffset: 0, transitions: [])

    /// Beyond any instant, far from overflow.
    private static let bound: Int64 = 1 << 40

    /// The IANA name, such as `Europe/Berlin`.
    package let name: String
    /// In ascending order, without holes.
    package let segments: [Segment]

    /// Creates a zone. Transitions are Unix times in ascending order with the offset from then on, in seconds.
    init(name: String, initialOffset: Int64, transitions: [(at: Int64, offset: Int64)]) {
        self.name = name
        var changes: [(at: Int64, offset: Int64)] = [(-Self.bound, initialOffset)]
        for transition in transitions where transition.at < Self.bound {
            // Of two transitions at the same second the later one counts.
            if let last = changes.last, transition.at <= last.at { changes.removeLast() }
            changes.append((max(transition.at, -Self.bound), transition.offset))
        }
        var segments: [Segment] = []
        for change in changes where segments.last?.offset != change.offset {
            if let last = segments.popLast() {
                segments.append(Segment(start: last.start, end: change.at, offset: last.offset))
            }
            segments.append(Segment(start: change.at, end: Self.bound, offset: change.offset))
        }
        self.segments = segments
    }

    /// The index of the segment that holds a Unix time; the nearest one outside of 1900 to 2400.
    func index(at seconds: Int64) -> Int {
        var low = 0
        var high = segments.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if segments[middle].start <= seconds { low = middle } else { high = middle }
        }
        return low
    }

    /// The stretch of constant offset that holds an instant.
    package func segment(at instant: Instant) -> Segment { segments[index(at: instant.seconds)] }

    /// What a clock in the zone shows at an instant.
    package func wall(at instant: Instant) -> WallTime {
        WallTime(seconds: instant.seconds + segment(at: instant).offset)
    }

    /// The instants at which a clock shows a wall time, in order: none in a gap, two in an overlap.
    package func instants(of wall: WallTime) -> [Instant] {
        var instants: [Instant] = []
        var index = index(at: wall.seconds - 2 * 86_400)
        while index < segments.count, segments[index].start <= wall.seconds + 2 * 86_400 {
            let seconds = wall.seconds - segments[index].offset
            if segments[index].start <= seconds, seconds < segments[index].end {
                instants.append(Instant(seconds: seconds))
            }
            index += 1
        }
        return instants
    }
}
