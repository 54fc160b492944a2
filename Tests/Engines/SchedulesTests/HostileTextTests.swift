import TestSupport
import Testing

@testable import Schedules

struct HostileTextTests {
    private static let pieces = [
        "*", "/", "-", ",", "#", "L", "W", "?", " ", "0", "1", "7", "31", "59", "99999999999999999999", "MON", "FRI",
        "JAN",
        "@daily", "FREQ=", "DAILY", "YEARLY", "MINUTELY", "MONTHLY", ";", "INTERVAL=", "COUNT=", "UNTIL=",
        "20260101T000000Z", "BYDAY=", "-1FR", "MO", "BYSETPOS=", "BYMONTHDAY=", "BYHOUR=", "=", "\0", "é", "٣", "\n",
        "+",
    ]

    private func text(_ starts: [String], _ generator: inout SeededGenerator) -> String {
        var text = starts.randomElement(using: &generator) ?? ""
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
            text += Self.pieces.randomElement(using: &generator) ?? ""
        }
        return text
    }

    @Test func `any text is read or rejected, and what is read can be searched`() throws {
        var generator = SeededGenerator(61)
        let zone = try ZoneTests.zones.rules("Australia/Lord_Howe")
        let start = try #require(WallTime(parsing: "2026-01-31T02:15"))
        var read = 0
        for _ in 0..<4000 {
            var rules: [ScheduleRule] = []
            if let cron = try? CronExpression(parsing: text(["", "* * * * ", "0 2 ", "0 0 1 1 ", "5 4 L"], &generator))
            {
                rules.append(.cron(cron))
            }
            let rule = text(
                ["", "FREQ=DAILY;", "FREQ=MONTHLY;BYDAY=", "FREQ=YEARLY;BYMONTHDAY=-", "FREQ=HOURLY;"], &generator)
            if let rule = try? RecurrenceRule(parsing: rule, start: start) { rules.append(.recurrence(rule)) }
            for rule in rules {
                read += 1
                guard let schedule = try? Schedule(rule: rule, zone: zone) else { continue }
                _ = try? schedule.occurrences(in: Instant(seconds: 1_790_000_000)..<Instant.latest, limit: 3)
            }
            _ = WallTime(parsing: text(["", "2026-01-", "20260101T"], &generator))
            _ = ZoneFooter(parsing: Array(text(["", "EST5EDT,M3.2.0,", "<+03>-3"], &generator).utf8))
        }
        #expect(read > 100)
    }
}
