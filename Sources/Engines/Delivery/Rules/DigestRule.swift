package import Schedules

/// Messages of low priority wait for a digest at certain hours of the device's zone.
package struct DigestRule: Sendable {
    /// Times of the day at most.
    package static let maxTimes = 24

    /// The highest priority that waits.
    package let upTo: DeliveryPriority
    private let schedules: [Schedule]

    /// Creates a rule with digests at minutes of the day (0 to 1439) on weekdays (0 for Sunday to 6) of the device's
    /// zone.
    ///
    /// A time in a gap of the clock comes at the gap's end, one in an overlap comes once. Nil for values out of range,
    /// no weekday, no minute, or more than ``maxTimes`` minutes.
    package init?(
        upTo: DeliveryPriority, minutes: Set<Int>, weekdays: Set<Int> = Set(0...6), zone: ZoneRules
    ) {
        guard (1...Self.maxTimes).contains(minutes.count), minutes.allSatisfy((0..<1440).contains),
            !weekdays.isEmpty, weekdays.allSatisfy((0...6).contains)
        else { return nil }
        self.upTo = upTo
        let days = weekdays.sorted().map(String.init).joined(separator: ",")
        schedules = minutes.sorted().compactMap { minute in
            guard let cron = try? CronExpression(parsing: "\(minute % 60) \(minute / 60) * * \(days)") else {
                return nil
            }
            return try? Schedule(rule: .cron(cron), zone: zone, daylight: .timeOfDay)
        }
    }

    /// The first digest after an instant; nil after 2399.
    package func next(after now: Instant) -> Occurrence? {
        schedules.compactMap { try? $0.next(after: now) }.min { $0.instant < $1.instant }
    }
}
