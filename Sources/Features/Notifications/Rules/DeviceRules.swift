import Delivery
import GatewayAPI
import Schedules

/// A device's rules for delivery, checked.
struct DeviceRules: Sendable {
    /// Mutes at most.
    static let maxMutes = 100

    let zone: ZoneRules
    private let quiet: QuietHours?
    private let digest: DigestRule?
    private let digestTopics: Set<String>?
    private let rate: RateLimit?
    private let mutes: [Mute]

    /// Rules of a device that wants all at once.
    static let none = DeviceRules()

    private init() {
        zone = .utc
        (quiet, digest, digestTopics, rate, mutes) = (nil, nil, nil, nil, [])
    }

    /// Reads and checks settings.
    ///
    /// - Throws: ``PushRefusal/field(_:_:)`` with the field below `settings`.
    init(_ settings: PushDeviceSettings, zones: ZoneDatabase) throws(PushRefusal) {
        do { zone = try zones.rules(settings.zone ?? "UTC") } catch {
            throw .field("settings.zone", error.description)
        }
        quiet = try settings.quietHours.map { hours throws(PushRefusal) in try Self.quiet(hours) }
        rate = try settings.rate.map { rate throws(PushRefusal) in try Self.rate(rate) }
        digestTopics = settings.digest?.topics.map { Set($0) }
        let zone = zone
        digest = try settings.digest.map { digest throws(PushRefusal) in try Self.digest(digest, zone) }
        let wanted = settings.mutes ?? []
        guard wanted.count <= Self.maxMutes else {
            throw .field("settings.mutes", "expected at most \(Self.maxMutes) entries, got \(wanted.count)")
        }
        var mutes: [Mute] = []
        for (index, mute) in wanted.enumerated() {
            let field = "settings.mutes[\(index)]"
            var until: Instant?
            if let text = mute.until {
                guard let instant = PushTime.instant(text) else {
                    throw .field(field + ".until", "expected a time such as 2026-12-24T18:00:00Z")
                }
                until = instant
            }
            mutes.append(
                Mute(
                    topic: mute.topic, until: until,
                    breakThrough: try mute.breakThrough.flatMap { word throws(PushRefusal) in
                        try Self.priority(word, field + ".breakThrough")
                    }))
        }
        self.mutes = mutes
    }

    /// The policy for messages of a topic.
    func policy(topic: String, hasRate: Bool) -> DeliveryPolicy {
        let waits = digestTopics.map { $0.contains(topic) } ?? true
        return DeliveryPolicy(
            zone: zone, mutes: mutes, digest: waits ? digest : nil, quiet: quiet, rate: hasRate ? rate : nil)
    }

    private static func quiet(_ hours: PushDeviceSettings.QuietHours) throws(PushRefusal) -> QuietHours {
        let field = "settings.quietHours"
        var windows: [QuietHours.Window] = []
        for (index, window) in hours.windows.prefix(QuietHours.maxWindows + 1).enumerated() {
            let path = "\(field).windows[\(index)]"
            let (start, end) = (try minute(window.start, path + ".start"), try minute(window.end, path + ".end"))
            let days = try weekdays(window.weekdays, path + ".weekdays")
            // Midnight as an end is the end of the day.
            guard let window = QuietHours.Window(weekdays: days, start: start, end: end == 0 ? 1440 : end) else {
                throw .field(path, "expected a start and another end")
            }
            windows.append(window)
        }
        let exception: DeliveryPriority? =
            if let word = hours.breakThrough { try priority(word, field + ".breakThrough") } else { .emergency }
        guard let quiet = QuietHours(windows: windows, breakThrough: exception) else {
            throw .field(
                field + ".windows",
                "expected 1 to \(QuietHours.maxWindows) windows that leave a minute of the week in which to send")
        }
        return quiet
    }

    private static func digest(
        _ digest: PushDeviceSettings.Digest, _ zone: ZoneRules
    ) throws(PushRefusal) -> DigestRule {
        let field = "settings.digest"
        var minutes: Set<Int> = []
        for (index, text) in digest.at.prefix(DigestRule.maxTimes + 1).enumerated() {
            minutes.insert(try minute(text, "\(field).at[\(index)]"))
        }
        let upTo = try priority(digest.upTo ?? "low", field + ".upTo") ?? .low
        guard
            let rule = DigestRule(
                upTo: upTo, minutes: minutes, weekdays: try weekdays(digest.weekdays, field + ".weekdays"), zone: zone)
        else { throw .field(field + ".at", "expected 1 to \(DigestRule.maxTimes) times of day before 24:00") }
        return rule
    }

    private static func rate(_ rate: PushDeviceSettings.Rate) throws(PushRefusal) -> RateLimit {
        guard (1...10_000).contains(rate.burst) else {
            throw .field("settings.rate.burst", "expected 1 to 10000, got \(rate.burst)")
        }
        guard rate.seconds.isFinite, rate.seconds >= 0.001, rate.seconds <= 366 * 86_400 else {
            throw .field("settings.rate.seconds", "expected 0.001 to 31622400")
        }
        return RateLimit(
            burst: rate.burst, interval: Int64(rate.seconds * 1000),
            breakThrough: try rate.breakThrough.flatMap { word throws(PushRefusal) in
                try priority(word, "settings.rate.breakThrough")
            })
    }

    /// The priority of a word; nil for `none`.
    private static func priority(_ word: String, _ field: String) throws(PushRefusal) -> DeliveryPriority? {
        if word == "none" { return nil }
        guard let priority = DeliveryPriority(word: word) else {
            let words = DeliveryPriority.allCases.map(\.word).joined(separator: ", ")
            throw .field(field, "expected \(words) or none")
        }
        return priority
    }

    /// The minute of the day of `HH:MM`.
    private static func minute(_ text: String, _ field: String) throws(PushRefusal) -> Int {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy(Self.isDigit) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour <= 24, minute < 60, hour < 24 || minute == 0
        else { throw .field(field, "expected a time of day such as 07:30") }
        return hour * 60 + minute
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func weekdays(_ words: [String]?, _ field: String) throws(PushRefusal) -> Set<Int> {
        guard let words else { return Set(0...6) }
        let names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
        var days: Set<Int> = []
        for (index, word) in words.prefix(8).enumerated() {
            guard let day = names.firstIndex(of: word) else {
                throw .field("\(field)[\(index)]", "expected \(names.joined(separator: ", "))")
            }
            days.insert(day)
        }
        guard !days.isEmpty else { throw .field(field, "must not be empty") }
        return days
    }
}

extension DeliveryPriority {
    /// The name in JSON.
    var word: String { "\(self)" }

    /// The priority of a name.
    init?(word: String) {
        guard let priority = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = priority
    }
}
