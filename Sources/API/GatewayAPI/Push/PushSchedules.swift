/// A schedule as clients write it. It has one of `at`, `cron` and `rrule`, and one of `message` and `template`.
public struct PushScheduleRequest: Codable, Sendable, Hashable {
    /// The name, 1 to 128 bytes.
    public var name: String
    /// One time on the wall, such as `2026-12-24T18:00`.
    public var at: String?
    /// A cron expression of five fields.
    public var cron: String?
    /// A recurrence rule of iCalendar, such as `FREQ=WEEKLY;BYDAY=MO`; needs `start`.
    public var rrule: String?
    /// The first time on the wall of an `rrule`.
    public var start: String?
    /// Times on the wall that an `rrule` leaves out.
    public var except: [String]?
    /// The IANA name of the zone; nil for UTC.
    public var zone: String?
    /// For a time that the clock skips: `firstMomentAfter`, `shifted` or `skip`; nil for the rule's own.
    public var gap: String?
    /// For a time that comes twice: `first`, `both` or `second`; nil for the rule's own.
    public var overlap: String?
    /// Which missed occurrences are sent later: `latest`, `all` or `none`; nil for `latest`.
    public var catchUp: String?
    /// Seconds: an occurrence that is later than this is not sent; nil for a day.
    public var catchUpWindow: Int64?
    /// Whether it runs; nil for true.
    public var enabled: Bool?
    /// The topic; nil for `default`.
    public var topic: String?
    /// Names or ids of devices; nil for all.
    public var devices: [String]?
    /// The message.
    public var message: JSONValue?
    /// The name of a template.
    public var template: String?
    /// The values of the template.
    public var inputs: [String: JSONValue]?

    /// Creates a schedule.
    public init(name: String) { self.name = name }
}

/// A stored schedule.
public struct PushSchedule: Codable, Sendable, Hashable {
    /// The id.
    public var id: String
    /// What the client wrote.
    public var schedule: PushScheduleRequest
    /// Whether it runs. A schedule without another occurrence is switched off.
    public var enabled: Bool
    /// The next times, at most five.
    public var next: [PushOccurrence]
    /// The occurrence that was sent last.
    public var lastRun: String?
    /// The first occurrence that was missed lately.
    public var missed: String?
    /// The version of the zone data.
    public var zoneData: String?

    /// Creates a schedule.
    public init(id: String, schedule: PushScheduleRequest, enabled: Bool, next: [PushOccurrence]) {
        self.id = id
        self.schedule = schedule
        self.enabled = enabled
        self.next = next
    }
}

/// One time of a schedule.
public struct PushOccurrence: Codable, Sendable, Hashable {
    /// The instant, ISO 8601 in UTC.
    public var at: String
    /// What the clock of the zone shows then.
    public var local: String
    /// The time that the rule names, where the clocks change between them; nil when it is `local`.
    public var nominal: String?

    /// Creates a time.
    public init(at: String, local: String, nominal: String?) {
        self.at = at
        self.local = local
        self.nominal = nominal
    }
}

/// A page of schedules.
public struct PushScheduleList: Codable, Sendable, Hashable {
    /// The schedules, oldest first.
    public var schedules: [PushSchedule]
    /// The start of the next page; nil on the last one.
    public var nextCursor: String?

    /// Creates a page.
    public init(schedules: [PushSchedule], nextCursor: String?) {
        self.schedules = schedules
        self.nextCursor = nextCursor
    }
}

/// The next times of a schedule that is not stored.
public struct PushSchedulePreview: Codable, Sendable, Hashable {
    /// The next times, at most five.
    public var next: [PushOccurrence]
    /// The policy for times that the clock skips.
    public var gap: String
    /// The policy for times that come twice.
    public var overlap: String
    /// The version of the zone data.
    public var zoneData: String?

    /// Creates a preview.
    public init(next: [PushOccurrence], gap: String, overlap: String, zoneData: String?) {
        self.next = next
        self.gap = gap
        self.overlap = overlap
        self.zoneData = zoneData
    }
}
