import Schedules
import TestSupport
import Testing

@testable import Delivery

struct QuietHoursTests {
    @Test(arguments: [(0, 0), (1440, 5), (-1, 5), (5, 1441), (5, 0)])
    func `windows out of range are rejected`(start: Int, end: Int) {
        #expect(QuietHours.Window(start: start, end: end) == nil)
    }

    @Test func `quiet hours leave some minute of the week`() throws {
        let day = try #require(QuietHours.Window(start: 0, end: 1440))
        let night = try #require(QuietHours.Window(start: 720, end: 719))
        #expect(QuietHours(windows: [day]) == nil)
        #expect(QuietHours(windows: []) == nil)
        #expect(QuietHours(windows: [night]) != nil)
        let other = try #require(QuietHours.Window(weekdays: Set(1...6), start: 600, end: 1440))
        #expect(
            QuietHours(windows: [night, other])?.description
                == "quiet hours 12:00–11:59, 10:00–24:00 (Mon Tue Wed Thu Fri Sat)")
        #expect(QuietHours.Window(weekdays: [7], start: 1, end: 2) == nil)
        #expect(QuietHours.Window(weekdays: [], start: 1, end: 2) == nil)
    }

    /// Whether a window covers a moment of the wall, told from the minutes of the week that it covers.
    private func isQuiet(_ windows: [QuietHours.Window], _ wall: WallTime) -> Bool {
        let now = wall.weekday * 1440 + wall.minuteOfDay
        return windows.contains { window in
            window.weekdays.contains { day in
                let start = day * 1440 + window.start
                let length = window.end > window.start ? window.end - window.start : 1440 - window.start + window.end
                return (now - start + 2 * 10_080) % 10_080 < length
            }
        }
    }

    @Test(.slow) func `the end is the first minute that no window covers, also when clocks change`() throws {
        var generator = SeededGenerator(31)
        let names = ["America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Cairo", "Antarctica/Troll"]
        var covered = 0
        for _ in 0..<400 {
            let zone = try ZoneDatabase().rules(try #require(names.randomElement(using: &generator)))
            let windows = (0..<Int.random(in: 1...4, using: &generator)).compactMap { _ in
                QuietHours.Window(
                    weekdays: Set((0..<7).filter { _ in Bool.random(using: &generator) }),
                    start: Int.random(in: 0..<1440, using: &generator), end: Int.random(in: 1...1440, using: &generator)
                )
            }
            guard let quiet = QuietHours(windows: windows) else { continue }
            let changes = zone.segments.map(\.start).filter { (0..<10_000_000_000).contains($0) }
            let change = try #require(changes.randomElement(using: &generator))
            let now = Instant(seconds: change + Int64.random(in: -100_000...50_000, using: &generator))
            let end = quiet.end(after: now, in: zone)
            #expect((end == nil) == !isQuiet(windows, zone.wall(at: now)))
            guard let end else { continue }
            covered += 1
            #expect(!isQuiet(windows, zone.wall(at: end)))
            var moment = now
            while moment < end {
                guard isQuiet(windows, zone.wall(at: moment)) else {
                    Issue.record("\(quiet) in \(zone.name): open at \(moment), end \(end)")
                    break
                }
                moment = moment.adding(seconds: 60)
            }
            #expect(isQuiet(windows, zone.wall(at: end.adding(seconds: -1))))
        }
        #expect(covered > 100)
    }
}
