import Schedules
import TestSupport
import Testing

@testable import Goals

struct MatchTests {
    private static let day = LocalDay(number: 20_780)

    private var generator = SeededGenerator(20)

    private mutating func goal(
        _ title: String, _ target: GoalTarget?, units: [String] = [], keywords: [String] = []
    ) throws -> GoalRule {
        let heading = Heading(id: EntityID(using: &generator), title: title, logTime: Instant(seconds: 0))
        return GoalRule(
            try Goal(
                Expectation(heading), target: target, start: Self.day, targetDate: Self.day.adding(69),
                actionability: .init(units: units, keywords: keywords)))
    }

    private mutating func action(
        _ title: String, _ amounts: [Action.Amount] = [], minutes: Double? = nil, day: Int = 0
    ) throws -> ActionFacts {
        let heading = Heading(id: EntityID(using: &generator), title: title, logTime: Instant(seconds: 0))
        let stamp = DayStamp(day: Self.day.adding(day), zone: "UTC", startMinute: 0)
        return ActionFacts(try Action(heading, amounts: amounts, durationMinutes: minutes, stamp: stamp))
    }

    @Test mutating func `period, unit and keyword make the confidence of the original`() throws {
        let goal = try goal("Run 120 km", GoalTarget(120, "km"), keywords: ["running"])
        let match = Match(try action("Ran in the park", [.init(5000, "m")]), goal)
        #expect(match.confidence == 0.9 && match.verdict == .counts && match.amount == Rational(5))
        #expect(match.matchedOn == "period unit words")
        #expect(match.shares.map(\.points) == [150, 250, 500, 0])
        #expect(match.shares.map(\.component) == Match.Component.allCases)
        #expect(match.shares[1].reason == "adds 5 km")
        #expect(Match(try action("Ran", [.init(5, "km")]), goal, meaning: 1).confidence == 0.99)
    }

    @Test mutating func `metres and minutes are no kilometres by their letters`() throws {
        let goal = try goal("Run", GoalTarget(120, "km"), keywords: ["run"])
        for unit in ["min", "minutes", "kg", "pages", "komments"] {
            let match = Match(try action("Run", [.init(5, unit)]), goal, meaning: 1)
            #expect(match.verdict == .no && match.amount == nil)
        }
    }

    @Test(
        arguments: [
            ("Read 20 pages", nil, "asks"), ("Evening on the sofa", 0.5, "asks"), ("Evening on the sofa", nil, "no"),
            ("Evening on the sofa", 1.0, "counts"), ("Evening on the sofa", 0.99, "asks"), ("Novel", nil, "counts"),
            ("Evening on the sofa", .nan, "no"), ("Evening on the sofa", 7.0, "counts"), ("Read a book", 0.6, "counts"),
        ] as [(String, Double?, String)])
    mutating func `below 0.7 a person is asked`(title: String, meaning: Double?, verdict: String) throws {
        let goal = try goal("Read books", GoalTarget(500, "pages"), keywords: ["novel"])
        let match = Match(try action(title, [.init(20, "Seiten")]), goal, meaning: meaning)
        #expect(match.verdict.rawValue == verdict)
        #expect((match.confidence >= 0.7) == (match.verdict == .counts))
    }

    @Test mutating func `outside of the period nothing counts`() throws {
        let goal = try goal("Run", GoalTarget(120, "km"), keywords: ["run"])
        for (day, verdict) in [(-1, Match.Verdict.no), (0, .counts), (69, .counts), (70, .no)] {
            #expect(Match(try action("Run", [.init(5, "km")], day: day), goal, meaning: 1).verdict == verdict)
        }
    }

    @Test mutating func `durations count for goals in units of time, and actions for goals without a unit`() throws {
        let hours = try goal("Piano", GoalTarget(40, "hours"), keywords: ["Klavier"])
        #expect(Match(try action("Piano", minutes: 90), hours).amount == Rational(3, over: 2))
        #expect(Match(try action("Piano", [.init(30, "min"), .init(0.5, "h")], minutes: 90), hours).amount == .one)
        let count = try goal("Call friends", nil, keywords: ["call"])
        #expect(Match(try action("Called Anna"), count).amount == .one)
        let hinted = try goal("Long runs", nil, units: ["km"], keywords: ["run"])
        #expect(Match(try action("Run", minutes: 30), hinted).verdict == .no)
        #expect(Match(try action("Run", [.init(3, "mi")]), hinted).verdict == .counts)
    }

    @Test mutating func `keywords of several words stand together`() throws {
        let goal = try goal("Strength", nil, keywords: ["deep work"])
        #expect(Match(try action("An hour of deep work"), goal).shares[2].points == 500)
        for title in ["work, then deep sleep", "deeper work", "deep", ""] {
            let match = Match(try action(title, minutes: 5), goal)
            #expect(match.shares[2].points == 0, "\(title)")
        }
    }
}
