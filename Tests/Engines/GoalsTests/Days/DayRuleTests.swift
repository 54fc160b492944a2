import Schedules
import TestSupport
import Testing

@testable import Goals

struct DayRuleTests {
    private static let zones = [
        "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/St_Johns", "Africa/Casablanca",
        "America/Sao_Paulo", "Africa/Cairo", "Asia/Gaza", "Pacific/Apia", "Antarctica/Troll", "Asia/Kathmandu", "UTC",
    ]

    private func rule(_ zone: String, _ startMinute: Int) throws -> DayRule {
        try #require(DayRule(zone: try ZoneDatabase().rules(zone), startMinute: startMinute))
    }

    private func instant(_ wall: String, _ rule: DayRule, fold: Int = 0) throws -> Instant {
        let instants = rule.zone.instants(of: try #require(WallTime(parsing: wall)))
        return try #require(instants.indices.contains(fold) ? instants[fold] : nil)
    }

    @Test(arguments: [
        ("2026-11-22T03:59:59", 240, "2026-11-21"), ("2026-11-22T04:00:00", 240, "2026-11-22"),
        ("2026-11-22T00:00:00", 0, "2026-11-22"), ("2026-11-21T23:59:59", 0, "2026-11-21"),
        ("2027-01-01T01:00:00", 240, "2026-12-31"), ("2024-03-01T02:00:00", 240, "2024-02-29"),
        ("2026-11-22T23:00:00", 1439, "2026-11-21"),
    ])
    func `a day lasts until its end in the night`(wall: String, start: Int, day: String) throws {
        let rule = try rule("Europe/Berlin", start)
        #expect(rule.day(of: try instant(wall, rule)).description == day)
    }

    @Test func `the hour that comes twice does not return to yesterday`() throws {
        // Berlin's clock goes from 03:00 back to 02:00; the day that began at 02:30 stays begun.
        let rule = try rule("Europe/Berlin", 150)
        #expect(rule.day(of: try instant("2026-10-25T02:29:59", rule)).description == "2026-10-24")
        #expect(rule.day(of: try instant("2026-10-25T02:45:00", rule)).description == "2026-10-25")
        #expect(rule.day(of: try instant("2026-10-25T02:10:00", rule, fold: 1)).description == "2026-10-25")
    }

    @Test func `a start within the gap begins when the gap ends`() throws {
        let rule = try rule("Europe/Berlin", 150)
        let start = rule.start(of: try #require(LocalDay(parsing: "2026-03-29")))
        #expect(start.description == "2026-03-29T01:00:00Z")
        let skipped = try #require(LocalDay(parsing: "2011-12-30"))
        #expect(try self.rule("Pacific/Apia", 0).instants(of: skipped).isEmpty)
    }

    @Test(.slow, arguments: zones) func `days follow each other as the oracle says`(zone: String) throws {
        for startMinute in [0, 60, 150, 240, 1380] {
            let rule = try rule(zone, startMinute)
            let range = Int64(1_262_304_000)..<1_893_456_000
            for segment in rule.zone.segments where range.contains(segment.start) {
                var latest = LocalDay.earliest
                var isWrong = false
                // St. John's changes its clocks a minute after midnight.
                for step in Int64(0)..<1728 {
                    let second = segment.start - 172_800 + step / 2 * 300 + step % 2 * 240
                    // The oracle: no day ends before the next has begun, so the latest day that the clock has shown counts.
                    let wall = rule.zone.wall(at: Instant(seconds: second)).seconds - Int64(startMinute) * 60
                    latest = max(latest, LocalDay(WallTime(seconds: wall)))
                    guard second > segment.start - 43_200 else { continue }
                    let day = rule.day(of: Instant(seconds: second))
                    let instants = rule.instants(of: day)
                    if day != latest || !instants.contains(Instant(seconds: second)) { isWrong = true }
                }
                #expect(!isWrong, "\(zone) \(startMinute) at \(segment.start)")
            }
        }
    }

    @Test func `seventy years of days have no hole`() throws {
        for zone in Self.zones.prefix(4) {
            let rule = try rule(zone, 240)
            var day = try #require(LocalDay(year: 1970, month: 1, day: 1))
            var end = rule.start(of: day)
            var holes = 0
            for _ in 0..<25_568 {
                let instants = rule.instants(of: day)
                if instants.lowerBound != end { holes += 1 }
                end = instants.upperBound
                day = day.adding(1)
            }
            #expect(holes == 0 && day.description == "2040-01-02")
        }
    }

    @Test func `a stamp keeps its day when the person moves`() throws {
        let home = try rule("America/New_York", 240)
        let away = try rule("Pacific/Kiritimati", 0)
        let run = try instant("2026-11-22T01:00:00", home)
        let stamp = home.stamp(run)
        #expect(
            stamp
                == DayStamp(
                    day: try #require(LocalDay(parsing: "2026-11-21")), zone: "America/New_York", startMinute: 240))
        #expect(away.day(of: run).description == "2026-11-22")
    }

    @Test(arguments: [
        ("2026-11-22", 240, "2026-11-22T03:00:00Z"), ("2026-11-22", 90, "2026-11-23T00:30:00Z"),
        ("2026-11-22", 0, "2026-11-22T23:00:00Z"), ("2026-03-28", 150, "2026-03-29T01:00:00Z"),
        ("2026-10-24", 150, "2026-10-25T00:30:00Z"), ("2026-11-22", 9999, "2026-11-22T22:59:00Z"),
    ])
    func `a time of day is an instant of its day`(day: String, minute: Int, expected: String) throws {
        let rule = try rule("Europe/Berlin", 240)
        #expect(rule.instant(of: try #require(LocalDay(parsing: day)), minute: minute).description == expected)
    }

    @Test(.slow) func `times of any day belong to the day`() throws {
        var generator = SeededGenerator(60)
        for _ in 0..<3000 {
            let rule = try rule(
                Self.zones.randomElement(using: &generator) ?? "UTC", Int.random(in: 0..<1440, using: &generator))
            let day = LocalDay(number: Int.random(in: 14_000...22_000, using: &generator))
            let minute = Int.random(in: 0..<1440, using: &generator)
            let instant = rule.instant(of: day, minute: minute)
            guard !rule.instants(of: day).isEmpty else { continue }
            #expect(rule.day(of: instant) == day, "\(rule.zone.name) \(rule.startMinute) \(day) \(minute)")
        }
    }

    @Test func `the ends of time do not trap`() throws {
        for zone in Self.zones {
            let rule = try rule(zone, 1439)
            for day in [LocalDay.earliest, .latest] { #expect(rule.instants(of: day).lowerBound >= .earliest) }
            _ = rule.day(of: .earliest)
            _ = rule.day(of: .latest)
        }
        #expect(DayRule(zone: .utc, startMinute: 1440) == nil && DayRule(zone: .utc, startMinute: -1) == nil)
    }
}
