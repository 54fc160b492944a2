import GatewayAPI
import GoalRoom
import GoalTracking
import PushRoom
import Storage
import Testing

/// Which goals remind of themselves, and when.
@Suite struct NudgeTests {
    private static func habit(_ person: Person, _ title: String, _ rule: GoalRuleBody?) async throws -> GoalRecord {
        var body = GoalBody()
        body.title = .set(title)
        body.target = .set(GoalAmount(amount: 10, unit: "pages"))
        (body.startDate, body.targetDate) = (.set("2026-11-01"), .set("2026-12-31"))
        body.keywords = .set(["read"])
        if let rule { body.rule = .set(rule) }
        return try await person.service.add(body, person.turn()).goal
    }

    @Test func `from the time of the person's zone on, and never when something is logged`() async throws {
        let person = try Person(zone: "Europe/Berlin", dayStart: 240, now: "2026-11-22T17:59:00Z")
        let each = GoalRuleBody(kind: "each", bound: "at_least", window: "day", share: 80)
        let daily = try await Self.habit(person, "Read daily", each)
        let nudges = GoalNudges(person.service, at: 19 * 60)
        #expect(try await nudges.due().isEmpty)
        person.setTime("2026-11-22T18:00:00Z")
        let due = try await nudges.due()
        #expect(due.map(\.origin) == ["goal/\(daily.id)/2026-11-22"] && due.first?.name == "Read daily")
        #expect(due.first?.detail.hasPrefix("Nothing is logged today. 0 of ") == true)
        // The day ends at four in the night in Berlin.
        #expect(due.first?.expires == Timestamp.unixSeconds("2026-11-23T03:00:00Z").map { $0 * 1000 })
        // A look soon after says nothing; a later one says the same.
        #expect(try await nudges.due().isEmpty)
        person.setTime("2026-11-23T02:59:00Z")
        #expect(try await nudges.due() == due)
        person.setTime("2026-11-23T03:00:00Z")
        #expect(try await nudges.due().isEmpty)
        person.setTime("2026-11-23T20:00:00Z")
        #expect(try await nudges.due().map(\.origin) == ["goal/\(daily.id)/2026-11-23"])
        _ = try await person.log("Read", [GoalAmount(amount: 1, unit: "pages")])
        person.setTime("2026-11-23T20:10:00Z")
        #expect(try await nudges.due().isEmpty)
        #expect(try await GoalNudges(person.service, at: nil).due().isEmpty)
    }

    @Test func `a goal's own reminder has its time and weekdays, and replaces that of all goals`() async throws {
        let person = try Person(zone: "Europe/Berlin", dayStart: 240, now: "2026-11-22T06:00:00Z")
        let each = GoalRuleBody(kind: "each", bound: "at_least", window: "day", share: 80)
        let early = try await Self.habit(person, "Read early", each)
        let late = try await Self.habit(person, "Read late", nil)
        let plain = try await Self.habit(person, "Read plain", each)
        func remind(_ goal: GoalRecord, _ reminder: GoalReminder?) async throws {
            var body = GoalBody()
            body.reminder = reminder.map { .set($0) } ?? .clear
            _ = try await person.service.change(goal: goal.id, body, person.turn("remind"))
        }
        // 2026-11-22 is a Sunday. 01:30 is in the night at the end of the person's day.
        try await remind(early, GoalReminder(at: "07:15", weekdays: [0, 6]))
        try await remind(late, GoalReminder(at: "01:30"))
        func due(_ time: String, all: Int? = 19 * 60) async throws -> [String] {
            person.setTime(time)
            return try await GoalNudges(person.service, at: all).due().map(\.origin)
        }
        #expect(try await due("2026-11-22T06:14:00Z").isEmpty)
        #expect(try await due("2026-11-22T06:15:00Z") == ["goal/\(early.id)/2026-11-22"])
        #expect(
            try await due("2026-11-22T18:00:00Z") == ["goal/\(early.id)/2026-11-22", "goal/\(plain.id)/2026-11-22"])
        #expect(try await due("2026-11-23T00:29:00Z", all: nil) == ["goal/\(early.id)/2026-11-22"])
        // A total that only began reminds by its own reminder, also while it is on track.
        #expect(
            try await Set(due("2026-11-23T00:30:00Z", all: nil))
                == ["goal/\(early.id)/2026-11-22", "goal/\(late.id)/2026-11-22"])
        // Monday: not one of the weekdays of the first.
        #expect(try await due("2026-11-23T20:00:00Z") == ["goal/\(plain.id)/2026-11-23"])
        // Saturday: something was logged for all of them, then it was removed.
        person.setTime("2026-11-28T08:00:00Z")
        let action = try await person.log("Read", [GoalAmount(amount: 1, unit: "pages")])
        #expect(try await due("2026-11-28T20:00:00Z").isEmpty)
        try await person.service.store.delete("actions", action.id, person.turn("delete"))
        #expect(try await due("2026-11-28T20:01:00Z").count == 2)
        _ = try await person.service.skip(person.service.today(), of: early.id, isSkipped: true, person.turn("skip"))
        #expect(try await due("2026-11-28T20:02:00Z") == ["goal/\(plain.id)/2026-11-28"])
        try await remind(early, nil)
        _ = try await person.service.skip(person.service.today(), of: early.id, isSkipped: false, person.turn("skip"))
        #expect(try await due("2026-11-28T06:30:00Z", all: nil).isEmpty)
    }

    @Test func `the clock that goes forward and back reminds once a day`() async throws {
        // In Berlin 02:30 did not exist on 2026-03-29, and came twice on 2026-10-25.
        for (day, first) in [("2026-03-29", "2026-03-29T01:00:00Z"), ("2026-10-25", "2026-10-25T00:30:00Z")] {
            let person = try Person(zone: "Europe/Berlin", now: "\(day)T00:10:00Z")
            var body = GoalBody()
            body.title = .set("Sleep")
            body.startDate = .set("2026-01-01")
            body.rule = .set(GoalRuleBody(kind: "each", bound: "at_least", window: "day"))
            body.reminder = .set(GoalReminder(at: "02:30"))
            let goal = try await person.service.add(body, person.turn()).goal
            #expect(try await GoalNudges(person.service, at: nil).due().isEmpty)
            person.setTime(first)
            let origins = try await GoalNudges(person.service, at: nil).due().map(\.origin)
            #expect(origins == ["goal/\(goal.id)/\(day)"], "\(day)")
            person.setTime("\(day)T02:00:00Z")
            #expect(try await GoalNudges(person.service, at: nil).due().map(\.origin) == origins)
        }
    }

    @Test func `skipped days and totals on track are quiet`() async throws {
        let person = try Person(now: "2026-11-22T20:00:00Z")
        let each = GoalRuleBody(kind: "each", bound: "at_least", window: "day", share: 80)
        let skipped = try await Self.habit(person, "Read daily", each)
        _ = try await person.service.skip(
            person.service.today(), of: skipped.id, isSkipped: true, person.turn("skip"))
        let total = try await Self.habit(person, "Read ten", nil)
        let nudges = GoalNudges(person.service, at: 0)
        #expect(try await nudges.due().map(\.origin) == ["goal/\(total.id)/2026-11-22"])
        _ = try await person.log("Read", [GoalAmount(amount: 9, unit: "pages")], day: "2026-11-20")
        person.setTime("2026-11-22T20:10:00Z")
        #expect(try await nudges.due().isEmpty)
    }
}
