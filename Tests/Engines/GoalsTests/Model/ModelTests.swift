import Schedules
import TestSupport
import Testing

@testable import Goals

struct ModelTests {
    private let id: EntityID
    private let other: EntityID
    private let heading: Heading
    private let day = LocalDay(number: 20_780)

    init() throws {
        var generator = SeededGenerator(8)
        id = EntityID(using: &generator)
        other = EntityID(using: &generator)
        heading = Heading(id: id, title: "Run", logTime: Instant(seconds: 1_795_000_000))
    }

    private func faults(_ make: () throws(InvalidFields) -> Void) -> [String] {
        do throws(InvalidFields) {
            try make()
            return []
        } catch {
            return error.faults.map(\.field)
        }
    }

    private func untitled(_ title: String?) -> Heading { Heading(id: id, title: title, logTime: heading.logTime) }

    @Test func `a SMART goal needs all of its parts`() throws {
        let expectation = Expectation(heading)
        let bare = faults { () throws(InvalidFields) in _ = try Goal(expectation, kind: .smart) }
        #expect(
            bare == [
                "how_goal_is_relevant", "measurement_target", "start_date", "target_date", "how_goal_is_actionable",
            ])
        let goal = try Goal(
            expectation, kind: .smart, target: GoalTarget(120, "km"), start: day, targetDate: day.adding(69),
            relevance: "Health", actionability: .init(units: ["km"], keywords: ["run"]))
        #expect(goal.target?.quantity?.description == "120 km")
        let endless = faults { () throws(InvalidFields) in
            _ = try Goal(
                expectation, kind: .smart, target: GoalTarget(0, "km per"), start: day, targetDate: day, relevance: " ",
                actionability: .init())
        }
        #expect(
            endless == [
                "measurement_target", "measurement_unit", "how_goal_is_relevant", "how_goal_is_actionable",
                "target_date",
            ])
        #expect(faults { () throws(InvalidFields) in _ = try Goal(expectation) }.isEmpty)
    }

    @Test func `a milestone has a date and no start`() {
        let expectation = Expectation(heading)
        #expect(faults { () throws(InvalidFields) in _ = try Milestone(expectation, targetDate: day) }.isEmpty)
        let wrong = faults { () throws(InvalidFields) in _ = try Milestone(expectation, targetDate: nil, start: day) }
        #expect(wrong == ["target_date", "start_date"])
        #expect(faults { () throws(InvalidFields) in _ = try Obligation(expectation, deadline: nil) } == ["deadline"])
    }

    @Test(arguments: [-1, .nan, .infinity, -.infinity, 1e13, 1e-300, -0.000_001])
    func `amounts are finite and at least 0`(value: Double) {
        let stamp = DayStamp(day: day, zone: "UTC", startMinute: 0)
        let amount = faults { () throws(InvalidFields) in
            _ = try Action(heading, amounts: [.init(value, "km")], stamp: stamp)
        }
        #expect(amount == ["measurement_units_by_amount"])
        let duration = faults { () throws(InvalidFields) in
            _ = try Action(heading, durationMinutes: value, stamp: stamp)
        }
        #expect(duration.first == "duration_minutes")
        let contribution = faults { () throws(InvalidFields) in
            _ = try Contribution(
                action: id, goal: other, amount: value, method: .manual, confidence: value, matchedOn: "")
        }
        #expect(contribution.contains("contribution"))
    }

    @Test func `an action says something, and each unit once`() {
        let stamp = DayStamp(day: day, zone: "UTC", startMinute: 0)
        func make(_ title: String?, _ amounts: [Action.Amount], _ minutes: Double?) -> [String] {
            faults { () throws(InvalidFields) in
                _ = try Action(untitled(title), amounts: amounts, durationMinutes: minutes, stamp: stamp)
            }
        }
        #expect(make(nil, [], nil) == ["title"])
        #expect(make(nil, [], 0).isEmpty && make(nil, [.init(0, "km")], nil).isEmpty && make("Ran", [], nil).isEmpty)
        #expect(make("Ran", [.init(1, "km"), .init(2, "km")], nil) == ["measurement_units_by_amount"])
        #expect(make("Ran", [.init(1, "")], 14_401) == ["measurement_units_by_amount", "duration_minutes"])
        #expect(make("a\0b", [], nil) == ["title"])
    }

    @Test func `errors name the field, what it may be and what it was`() {
        let error = #expect(throws: InvalidFields.self) { try PersonalValue(untitled("  "), priority: 1000) }
        #expect(
            error?.description
                == "value: field \"title\": expected text, got nothing; field \"priority\": expected 1 to 100, got 1000"
        )
    }

    @Test func `terms, relevances, reflections and measures are checked`() {
        let term = faults { () throws(InvalidFields) in
            _ = try Term(heading, number: 0, start: day, target: day.adding(-1), goals: [id, id])
        }
        #expect(term == ["term_number", "target_date", "goals"])
        let relevance = faults { () throws(InvalidFields) in _ = try Relevance(goal: id, value: other, alignment: 11) }
        #expect(relevance == ["alignment_strength"])
        #expect(
            faults { () throws(InvalidFields) in _ = try Reflection(heading, term: id, day: day) } == ["description"])
        func measure(_ unit: String, _ canonical: String, _ factor: Double) -> [String] {
            faults { () throws(InvalidFields) in
                _ = try Measure(heading, unit: unit, canonicalUnit: canonical, conversionFactor: factor)
            }
        }
        #expect(measure("km", "m", 1000).isEmpty && measure("mi", "km", 1.609344).isEmpty)
        #expect(measure("km", "m", 1001) == ["conversion_factor"])
        #expect(measure("km", "min", 1) == ["canonical_unit"])
    }

    @Test(arguments: [
        "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6f9619ff-8b86-d011-b42d-00cf4fc964ff",
        "{6F9619FF-8B86-D011-B42D-00CF4FC964FF}",
        "6F9619FF8B86D011B42D00CF4FC964FF", "6F9619FF-8B86-D011-B42D-00CF4FC964F",
        "6F9619FF-8B86-D011-B42D-00CF4FC964FG", "",
    ])
    func `UUIDs keep their spelling and compare without case`(text: String) {
        let id = EntityID(text)
        #expect((id != nil) == (text.count == 36 && !text.contains("G")))
        if let id { #expect(id.description == text && id == EntityID("6F9619FF-8B86-D011-B42D-00CF4FC964FF")) }
    }

    @Test func `random UUIDs are of version 4`() throws {
        var generator = SeededGenerator(9)
        let ids = (0..<1000).map { _ in EntityID(using: &generator) }
        #expect(Set(ids).count == 1000)
        for id in ids {
            let text = Array(id.description)
            #expect(text.count == 36 && text[14] == "4" && "89AB".contains(text[19]) && EntityID(id.description) == id)
        }
    }
}
