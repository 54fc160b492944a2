import Database
import Foundation
import GRDB
import GatewayAPI
import GoalRoom
import GoalTracking
import Goals
import Storage
import TestSupport
import Testing

/// The progress of lists, kept in the file for the next start.
@Suite struct SummaryTests {
    /// A service as after a start: without anything in memory.
    private static func restarted(_ person: Person, zone: String = "UTC", dayStart: Int = 0) throws -> GoalService {
        let now = person.service.now()
        return try GoalService(
            goals: person.database.goals, notes: person.database.notes, zone: zone, dayStart: dayStart,
            confirmsAtOnce: false, now: { now })
    }

    private static func list(_ service: GoalService) async throws -> [GoalRecord] {
        try await service.goals(GoalFilter(), withProgress: true, after: nil, limit: 200).items
    }

    private static func write(_ sql: String, _ person: Person) async throws {
        let other = try DatabaseQueue(path: person.database.path)
        try await other.write { try $0.execute(sql: sql) }
        try other.close()
    }

    private static func count(_ person: Person) async throws -> Int {
        let other = try DatabaseQueue(path: person.database.path)
        defer { try? other.close() }
        return try await other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM gateway_goal_summaries") ?? -1 }
    }

    /// Marks what the file has, so that an answer shows where it came from.
    private static let mark = """
        UPDATE gateway_goal_summaries SET body = json_set(body, '$.achieved', 1234.5)
        """

    @Test func `a start reads what was computed before, for that state and day only`() async throws {
        let person = try Person()
        let goal = try await person.runningGoal()
        _ = try await person.log("Run", [GoalAmount(amount: 5, unit: "km")])
        try await person.service.warm()
        #expect(try await Self.count(person) == 1)
        try await Self.write(Self.mark, person)
        #expect(try await Self.list(Self.restarted(person)).map(\.progress?.achieved) == [1234.5])
        // Another day start, another zone, another day: computed.
        #expect(try await Self.list(Self.restarted(person, dayStart: 60)).map(\.progress?.achieved) == [5])
        #expect(try await Self.list(Self.restarted(person, zone: "Asia/Tokyo")).map(\.progress?.achieved) == [5])
        person.setTime("2026-11-23T10:00:00Z")
        let tomorrow = try await Self.list(Self.restarted(person))
        #expect(tomorrow.map(\.progress?.achieved) == [5] && tomorrow[0].progress?.day == "2026-11-23")
        person.setTime("2026-11-22T10:00:00Z")
        #expect(try await Self.list(Self.restarted(person)).map(\.progress?.achieved) == [1234.5])
        // A change of the goal, by another program, and a new action.
        try await Self.write("UPDATE goals SET title = 'Run far'", person)
        let changed = try await Self.list(Self.restarted(person))
        #expect(changed.map(\.progress?.achieved) == [5] && changed[0].title == "Run far")
        try await person.service.warm()
        try await Self.write(Self.mark, person)
        #expect(try await Self.list(Self.restarted(person)).map(\.progress?.achieved) == [1234.5])
        _ = try await person.log("Run", [GoalAmount(amount: 2, unit: "km")])
        #expect(try await Self.list(Self.restarted(person)).map(\.progress?.achieved) == [7])
        try await person.service.store.delete("goals", goal.id, person.turn())
        _ = try await person.runningGoal()
        try await person.service.warm()
        #expect(try await Self.count(person) == 1)
    }

    @Test func `rows that are no summaries are computed again`() async throws {
        let person = try Person()
        _ = try await person.runningGoal()
        try await person.service.warm()
        for value in ["x'00ff'", "7", "'{}'", "'nonsense'", "''"] {
            try await Self.write("UPDATE gateway_goal_summaries SET body = \(value)", person)
            #expect(try await Self.list(Self.restarted(person)).map(\.progress?.needed) == [100], "\(value)")
        }
        try await Self.write("UPDATE gateway_goal_summaries SET stamp = x'00'", person)
        #expect(try await Self.list(Self.restarted(person)).map(\.progress?.needed) == [100])
    }

    @Test(.slow) func `after random edits a start with the file's summaries answers like one without`() async throws {
        let person = try Person()
        var chance = SeededGenerator(1)
        var goals: [GoalRecord] = []
        let rules = [
            GoalRuleBody(kind: "sum"), GoalRuleBody(kind: "count"), GoalRuleBody(kind: "streak", length: 3, freezes: 1),
            GoalRuleBody(kind: "each", bound: "at_most", window: "week", share: 50),
            GoalRuleBody(kind: "average", bound: "at_least"),
        ]
        for (number, rule) in rules.enumerated() {
            var body = GoalBody()
            body.title = .set("Goal \(number)")
            body.target = .set(GoalAmount(amount: 10, unit: "km"))
            (body.startDate, body.targetDate) = (.set("2026-10-01"), .set("2026-12-31"))
            (body.keywords, body.rule) = (.set(["run"]), .set(rule))
            goals.append(try await person.service.add(body, person.turn()).goal)
        }
        for round in 0..<25 {
            let goal = goals[Int.random(in: 0..<goals.count, using: &chance)]
            switch Int.random(in: 0..<5, using: &chance) {
            case 0, 1:
                let day = LocalDay(number: person.service.today().number - Int.random(in: 0...40, using: &chance))
                let amount = Double(Int.random(in: 1...300, using: &chance)) / 10
                _ = try await person.log("Run", [GoalAmount(amount: amount, unit: "km")], day: day.description)
            case 2:
                let day = person.service.today().adding(-Int.random(in: 0...6, using: &chance))
                _ = try await person.service.skip(
                    day, of: goal.id, isSkipped: Bool.random(using: &chance), person.turn())
            case 3:
                var body = GoalBody()
                body.target = .set(GoalAmount(amount: Double(Int.random(in: 1...90, using: &chance)), unit: "km"))
                _ = try await person.service.change(goal: goal.id, body, person.turn())
            default:
                let actions = try await person.service.store.actions.list(ActionFilter(), after: nil, limit: 50).items
                guard let action = actions.randomElement(using: &chance) else { continue }
                let answer = ["rejected", "confirmed", "open"].randomElement(using: &chance) ?? "open"
                _ = try await person.service.decide(
                    GoalDecision(action: action.id, goal: goal.id, answer: answer), person.turn())
            }
            if round % 3 == 0 { try await person.service.warm() }
            let kept = try await Self.list(Self.restarted(person))
            // The pure function over all rows, without any summary.
            for record in kept {
                var progress = try await person.service.progress(of: record.id, on: nil, zone: nil)
                (progress.days, progress.windows) = (nil, nil)
                #expect(record.progress == progress, "\(round): \(record.title)")
            }
        }
    }
}
