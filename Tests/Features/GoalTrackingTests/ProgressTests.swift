import Database
import Foundation
import GatewayAPI
import GoalRoom
import GoalTracking
import Goals
import Schedules
import Storage
import Testing

/// Progress, days and matches over a real database.
@Suite struct GoalProgressOverRows {
    @Test func `actions count by unit and words, and the figures follow`() async throws {
        let person = try Person()
        let goal = try await person.runningGoal()
        _ = try await person.log("Run", [GoalAmount(amount: 5, unit: "km")], day: "2026-11-20")
        _ = try await person.log("ran home", [GoalAmount(amount: 2500, unit: "m")])
        // Neither the unit nor the words fit: m is no min.
        _ = try await person.log("Run", [GoalAmount(amount: 30, unit: "min")])
        let other = try await person.log("Swim", [GoalAmount(amount: 1, unit: "km")])
        let progress = try await person.service.progress(of: goal.id, on: nil, zone: nil)
        #expect(progress.achieved == 7.5 && progress.needed == 100 && progress.entries == 2 && progress.unit == "km")
        #expect(progress.status == "behind" && progress.isDone && progress.isDue)
        #expect(progress.days?.map(\.day) == ["2026-11-20", "2026-11-22"])
        // A swim fits by unit only: nobody is asked.
        #expect(try await person.service.questions(goal: nil, after: nil, limit: 10).items.isEmpty)
        let decided = try await person.service.decide(
            GoalDecision(action: other.id, goal: goal.id, answer: "counted", amount: 3), person.turn())
        #expect(decided.contributions?.map(\.method) == ["manual"])
        #expect(try await person.service.goal(goal.id).progress?.achieved == 10.5)
        _ = try await person.service.decide(
            GoalDecision(action: other.id, goal: goal.id, answer: "open"), person.turn())
        #expect(try await person.service.goal(goal.id).progress?.achieved == 7.5)
    }

    @Test func `a changed target counts from today, whoever changed it`() async throws {
        let person = try Person()
        let goal = try await person.runningGoal(10)
        _ = try await person.log("Run", [GoalAmount(amount: 6, unit: "km")], day: "2026-11-10")
        var body = GoalBody()
        body.target = .set(GoalAmount(amount: 20, unit: "km"))
        let changed = try await person.service.change(goal: goal.id, body, person.turn())
        #expect(changed.target?.amount == 20 && changed.changes.map(\.from) == ["2026-11-22"])
        let before = try await person.service.progress(
            of: goal.id, on: LocalDay(parsing: "2026-11-21"), zone: nil)
        #expect(before.needed == 10 && before.fraction == 0.6)
        let now = try await person.service.progress(of: goal.id, on: nil, zone: nil)
        #expect(now.needed == 20)
        body.from = .set("2026-11-21")
        await #expect(throws: InvalidFields.self) {
            try await person.service.change(goal: goal.id, body, person.turn())
        }
    }

    @Test func `days stay where they were logged, through travel and midnight`() async throws {
        let person = try Person(zone: "Europe/Berlin", dayStart: 240, now: "2026-11-22T01:30:00Z")
        // 02:30 in Berlin is before the day's start at 04:00.
        let night = try await person.log("Read", [GoalAmount(amount: 10, unit: "pages")])
        #expect(night.day == "2026-11-21" && night.zone == "Europe/Berlin" && night.dayStart == 240)
        var body = ActionBody()
        body.title = .set("Read")
        body.zone = .set("Asia/Tokyo")
        let there = try await person.service.add(body, person.turn()).action
        #expect(there.day == "2026-11-22" && there.zone == "Asia/Tokyo")
        var change = ActionBody()
        change.notes = .set("Good.")
        person.setTime("2026-12-24T12:00:00Z")
        #expect(try await person.service.change(action: night.id, change, person.turn()).day == "2026-11-21")
    }

    @Test func `dates that are wrong are refused by name`() async throws {
        let person = try Person()
        for (field, set) in [
            ("day", { (body: inout ActionBody) in body.day = .set("2026-02-30") }),
            ("day", { $0.day = .set("2026-11-23") }),
            ("start_time", { $0.startTime = .set("2026-11-22") }),
            ("start_time", { $0.startTime = .set("2026-11-25T10:00:00Z") }),
            ("zone", { $0.zone = .set("Mars/Base") }),
        ] as [(String, (inout ActionBody) -> Void)] {
            var body = ActionBody()
            body.title = .set("Run")
            set(&body)
            let error = await #expect(throws: InvalidFields.self) { try await person.service.add(body, person.turn()) }
            #expect(error?.faults.first?.field == field)
        }
        var both = ActionBody()
        both.title = .set("Run")
        (both.day, both.startTime) = (.set("2026-11-20"), .set("2026-11-21T10:00:00Z"))
        await #expect(throws: InvalidFields.self) { try await person.service.add(both, person.turn()) }
        var goal = GoalBody()
        (goal.kind, goal.title) = (.set("smart"), .set("Run"))
        let error = await #expect(throws: InvalidFields.self) { try await person.service.add(goal, person.turn()) }
        #expect((error?.faults.count ?? 0) >= 4)
        (goal.kind, goal.startDate) = (.set("milestone"), .set("2026-11-22"))
        goal.targetDate = .set("2026-12-01")
        await #expect(throws: InvalidFields.self) { try await person.service.add(goal, person.turn()) }
    }

    @Test func `skips freeze a streak, and no entry is no zero`() async throws {
        let person = try Person()
        var body = GoalBody()
        body.title = .set("Meditate")
        body.target = .set(GoalAmount(amount: 10, unit: "min"))
        body.rule = .set(GoalRuleBody(kind: "streak", length: 5))
        body.keywords = .set(["meditate"])
        (body.startDate, body.targetDate) = (.set("2026-11-18"), .set("2026-11-30"))
        let goal = try await person.service.add(body, person.turn()).goal
        for day in ["2026-11-18", "2026-11-19", "2026-11-21", "2026-11-22"] {
            var action = ActionBody()
            (action.title, action.durationMinutes, action.day) = (.set("Meditated"), .set(12), .set(day))
            _ = try await person.service.add(action, person.turn())
        }
        #expect(try await person.service.goal(goal.id).progress?.currentStreak == 2)
        let day = try #require(LocalDay(parsing: "2026-11-20"))
        let skipped = try await person.service.skip(day, of: goal.id, isSkipped: true, person.turn())
        #expect(skipped.progress?.currentStreak == 4 && skipped.skips == ["2026-11-20"])
        await #expect(throws: InvalidFields.self) {
            try await person.service.skip(day.adding(-30), of: goal.id, isSkipped: true, person.turn())
        }
    }

    @Test func `terms follow each other, and keep the person's order of goals`() async throws {
        let person = try Person()
        let first = try await person.runningGoal()
        let second = try await person.runningGoal(50)
        var body = TermBody()
        body.theme = .set("Health")
        body.goals = .set([second.id, first.id])
        let term = try await person.service.add(body, person.turn()).term
        #expect(term.number == 1 && term.startDate == "2026-11-22" && term.targetDate == "2027-01-30" && term.week == 1)
        #expect(term.goals == [second.id, first.id] && term.status == "active" && term.weeks == 10)
        let next = try await person.service.add(TermBody(), person.turn()).term
        #expect(next.number == 2 && next.startDate == "2027-01-31" && next.status == "planned")
        var change = TermBody()
        (change.goals, change.status) = (.set([first.id]), .set("delayed"))
        let changed = try await person.service.change(term: term.id, change, person.turn())
        #expect(changed.goals == [first.id] && changed.status == "delayed")
        #expect(try await person.service.store.terms.find(term.id).overlapping == [second.id])
        change.number = .set(2)
        await #expect(throws: StorageError.self) {
            try await person.service.change(term: term.id, change, person.turn())
        }
    }
}
