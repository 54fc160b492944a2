import TestSupport
import Testing

@testable import Schedules

struct CatchUpTests {
    private let now = Instant(seconds: 1_800_000_000)

    private func hourly() throws -> Schedule {
        try Schedule(rule: .cron(CronExpression(parsing: "@hourly")), zone: .utc)
    }

    /// The time of `now` is 08:00:00; the last look was ten hours before.
    @Test(arguments: [
        (CatchUp(mode: .latest), "08:00", true), (CatchUp(mode: .none), "08:00", true),
        (CatchUp(mode: .all, limit: 3), "06:00 07:00 08:00", true),
        (CatchUp(mode: .all, window: 2 * 3600), "06:00 07:00 08:00", true),
        (CatchUp(mode: .all), "23:00 00:00 01:00 02:00 03:00 04:00 05:00 06:00 07:00 08:00", false),
    ])
    func `what runs after ten hours`(catchUp: CatchUp, expected: String, isMissed: Bool) throws {
        let due = try catchUp.due(hourly(), after: now.adding(seconds: -10 * 3600), now: now)
        let times = due.run.map { $0.wall.description.dropFirst(11).prefix(5) }
        #expect(times.joined(separator: " ") == expected)
        #expect((due.firstMissed != nil) == isMissed)
    }

    @Test func `late ones run as the mode says`() throws {
        let late = now.adding(seconds: 1800)
        let last = now.adding(seconds: -10 * 3600)
        #expect(try CatchUp(mode: .latest).due(hourly(), after: last, now: late).run.map(\.instant) == [now])
        let none = try CatchUp(mode: .none).due(hourly(), after: last, now: late)
        #expect(none.run.isEmpty)
        #expect(none.firstMissed?.instant == last.adding(seconds: 3600))
        #expect(try CatchUp(mode: .latest, window: 600).due(hourly(), after: last, now: late).run.isEmpty)
    }

    @Test func `a clock that goes back repeats nothing`() throws {
        let due = try CatchUp(mode: .all).due(hourly(), after: now, now: now.adding(seconds: -7200))
        #expect(due.run.isEmpty && due.firstMissed == nil)
    }

    @Test func `looks at any times run each occurrence once`() throws {
        var generator = SeededGenerator(23)
        let schedule = try hourly()
        let all = CatchUp(mode: .all, limit: 1000)
        for _ in 0..<20 {
            let start = now.adding(seconds: Int64.random(in: 0...3600, using: &generator))
            var last = start
            var run: [Occurrence] = []
            for _ in 0..<20 {
                let look = last.adding(milliseconds: Int64.random(in: -3_600_000...40_000_000, using: &generator))
                run += try all.due(schedule, after: last, now: look).run
                last = max(last, look)
            }
            let range = start.adding(milliseconds: 1)..<last.adding(milliseconds: 1)
            #expect(try schedule.occurrences(in: range, limit: 10_000) == run)
        }
    }

    @Test func `years of missed minutes cost no walk through them`() throws {
        let minutely = try Schedule(rule: .cron(CronExpression(parsing: "* * * * *")), zone: .utc)
        let due = try CatchUp(mode: .latest, window: .max).due(minutely, after: .earliest, now: now.adding(seconds: 30))
        #expect(due.run.map(\.instant) == [now])
        #expect(due.firstMissed?.instant == .earliest.adding(seconds: 60))
    }
}
