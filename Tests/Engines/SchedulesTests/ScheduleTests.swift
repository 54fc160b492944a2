import TestSupport
import Testing

@testable import Schedules

struct ScheduleTests {
    private func schedule(
        _ cron: String, _ zone: String, _ gap: DaylightPolicy.Gap = .firstMomentAfter,
        _ overlap: DaylightPolicy.Overlap = .first
    ) throws -> Schedule {
        try Schedule(
            rule: .cron(CronExpression(parsing: cron)), zone: ZoneTests.zones.rules(zone),
            daylight: DaylightPolicy(gap: gap, overlap: overlap))
    }

    private func instant(_ text: String) throws -> Instant {
        Instant(seconds: try #require(WallTime(parsing: text)).seconds)
    }

    /// New York: the clock jumps at 07:00Z on 2026-03-08 and goes back at 06:00Z on 2026-11-01.
    @Test(arguments: [
        ("30 2 * * *", DaylightPolicy.Gap.firstMomentAfter, DaylightPolicy.Overlap.first, "2026-03-08T00:00", "07:00"),
        ("30 2 * * *", .shifted, .first, "2026-03-08T00:00", "07:30"),
        ("30 2 * * *", .skip, .first, "2026-03-08T00:00", "06:30"),
        ("0,30 2,3 * * *", .firstMomentAfter, .first, "2026-03-08T00:00", "07:00 07:30"),
        ("0,30 2,3 * * *", .shifted, .first, "2026-03-08T00:00", "07:00 07:30"),
        ("30 1 * * *", .skip, .first, "2026-11-01T00:00", "05:30 06:30"),
        ("30 1 * * *", .skip, .both, "2026-11-01T00:00", "05:30 06:30 06:30"),
        ("30 1 * * *", .skip, .second, "2026-11-01T00:00", "06:30 06:30"),
        ("*/30 1 * * *", .skip, .both, "2026-11-01T00:00", "05:00 05:30 06:00 06:30"),
        ("*/30 1 * * *", .skip, .first, "2026-11-01T00:00", "05:00 05:30"),
    ])
    func `each policy has its times`(
        cron: String, gap: DaylightPolicy.Gap, overlap: DaylightPolicy.Overlap, from: String, expected: String
    ) throws {
        let from = try instant(from)
        let days = cron.hasPrefix("30 1") || gap == .skip && cron.hasPrefix("30 2") ? 2 : 1
        let found = try schedule(cron, "America/New_York", gap, overlap)
            .occurrences(in: from..<from.adding(seconds: Int64(days) * 86_400), limit: 10)
        let times = found.map { $0.instant.description.dropFirst(11).prefix(5) }
        #expect(times.joined(separator: " ") == expected)
    }

    @Test func `the defaults lose nothing and follow hours that pass`() throws {
        let zone = try ZoneTests.zones.rules("America/New_York")
        let daily = try Schedule(rule: .cron(CronExpression(parsing: "30 2 * * *")), zone: zone)
        #expect(daily.daylight == .timeOfDay)
        let quarters = try Schedule(rule: .cron(CronExpression(parsing: "*/15 * * * *")), zone: zone)
        let start = try instant("2026-11-01T04:00")
        let found = try quarters.occurrences(in: start..<start.adding(seconds: 4 * 3600), limit: 100)
        #expect(found.count == 16)
        #expect(zip(found, found.dropFirst()).allSatisfy { $1.instant.seconds - $0.instant.seconds == 900 })
        #expect(Set(found.map { $0.id(schedule: "s") }).count == 16)
    }

    @Test func `an occurrence is named by schedule, wall time and fold`() throws {
        let twice = try schedule("30 1 * * *", "America/New_York", .skip, .both)
        let start = try instant("2026-11-01T00:00")
        let ids = try twice.occurrences(in: start..<start.adding(seconds: 86_400), limit: 3).map {
            $0.id(schedule: "s")
        }
        #expect(ids == ["s/2026-11-01T01:30:00/0", "s/2026-11-01T01:30:00/1"])
    }

    @Test func `Apia has no 30 December 2011`() throws {
        let zone = try ZoneTests.zones.rules("Pacific/Apia")
        let wall = try #require(WallTime(parsing: "2011-12-30T09:00"))
        func instants(_ gap: DaylightPolicy.Gap) throws -> String? {
            let once = try Schedule(rule: .once(wall), zone: zone, daylight: DaylightPolicy(gap: gap, overlap: .first))
            return try once.next(after: .earliest)?.instant.description
        }
        #expect(try instants(.firstMomentAfter) == "2011-12-30T10:00:00Z")
        #expect(try instants(.shifted) == "2011-12-30T19:00:00Z")
        #expect(throws: ScheduleError.self) { try instants(.skip) }
    }

    @Test func `one instant fires once, even in the second pass of an overlap`() throws {
        let instant = try instant("2026-11-01T06:30")
        let once = try Schedule(rule: .instant(instant), zone: ZoneTests.zones.rules("America/New_York"))
        let next = try #require(try once.next(after: instant.adding(milliseconds: -1)))
        #expect(next.instant == instant && next.fold == 1)
        #expect(try once.next(after: instant) == nil)
    }

    @Test func `COUNT counts what fires, excluded times included`() throws {
        let zone = try ZoneTests.zones.rules("America/New_York")
        let start = try #require(WallTime(parsing: "2026-03-07T02:30"))
        let excluded = try #require(WallTime(parsing: "2026-03-09T02:30"))
        let rule = try RecurrenceRule(parsing: "FREQ=DAILY;COUNT=3", start: start, excluding: [excluded])
        func days(_ gap: DaylightPolicy.Gap) throws -> [Int] {
            let daylight = DaylightPolicy(gap: gap, overlap: .first)
            return try Schedule(rule: .recurrence(rule), zone: zone, daylight: daylight)
                .occurrences(in: .earliest..<Instant.latest, limit: 9).map { $0.wall.date.day }
        }
        #expect(try days(.firstMomentAfter) == [7, 8])
        #expect(try days(.skip) == [7, 10])
    }

    /// Every minute that matches, tried one after the other, with the policy for hours that pass.
    @Test func `a search finds what a walk through all minutes finds`() throws {
        var generator = SeededGenerator(17)
        let zones = ["Australia/Lord_Howe", "Africa/Casablanca", "Antarctica/Troll", "Asia/Gaza", "Pacific/Apia"]
        for _ in 0..<60 {
            let zone = try ZoneTests.zones.rules(try #require(zones.randomElement(using: &generator)))
            let hour = Int.random(in: 0...3, using: &generator)
            let cron = try CronExpression(
                parsing: "*/\([7, 15, 30].randomElement(using: &generator) ?? 5) \(hour) * * *")
            let schedule = try Schedule(rule: .cron(cron), zone: zone)
            // Before 1970 offsets had seconds.
            let changes = zone.segments.map(\.start).filter { (0..<10_000_000_000).contains($0) }
            let change = try #require(changes.randomElement(using: &generator))
            let start = Instant(seconds: (change / 60 - 1500) * 60)
            let minutes = (0..<3000).map { start.adding(seconds: $0 * 60) }
            let expected = minutes.filter {
                let wall = zone.wall(at: $0)
                return cron.first(atOrAfter: wall) == wall
            }
            let end = start.adding(seconds: 3000 * 60)
            let found = try schedule.occurrences(in: start..<end, limit: 5000)
            #expect(found.map(\.instant) == expected)
            #expect(try schedule.last(in: start..<end)?.instant == expected.last)
            #expect(Set(found.map { $0.id(schedule: "") }).count == found.count)
        }
    }
}
