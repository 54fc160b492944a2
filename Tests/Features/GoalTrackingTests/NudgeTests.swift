import GatewayAPI
import GoalTracking
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
