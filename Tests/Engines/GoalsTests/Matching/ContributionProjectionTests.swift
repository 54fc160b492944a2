import Schedules
import TestSupport
import Testing

@testable import Goals

struct ContributionProjectionTests {
    private typealias Decision = ContributionProjection.Decision
    private typealias Pair = ContributionProjection.Pair

    private struct World {
        var goals: [GoalRule] = []
        var actions: [ActionFacts] = []
        var meanings: [Pair: Double] = [:]
        var decisions: [Decision] = []

        func projection() throws -> ContributionProjection {
            try ContributionProjection(goals: goals, actions: actions, meanings: meanings, decisions: decisions)
        }
    }

    private let titles = ["Ran home", "Read a novel", "Klavier geübt", "Evening", "Long run with Anna", "Deep work"]

    private func world(_ generator: inout SeededGenerator) throws -> World {
        var world = World()
        let day = LocalDay(number: 20_780)
        for (title, unit, keyword) in [
            ("Run", "km", "run"), ("Read", "pages", "read"), ("Piano", "h", "piano"), ("Work", "min", ""),
        ] {
            let heading = Heading(id: EntityID(using: &generator), title: title, logTime: Instant(seconds: 0))
            let goal = try Goal(
                Expectation(heading), target: GoalTarget(100, unit), start: day, targetDate: day.adding(50),
                actionability: .init(keywords: keyword.isEmpty ? [] : [keyword]))
            world.goals.append(GoalRule(goal))
        }
        for _ in 0..<60 {
            let heading = Heading(
                id: EntityID(using: &generator), title: titles.randomElement(using: &generator),
                logTime: Instant(seconds: 0))
            let unit = ["km", "m", "mi", "pages", "min"].randomElement(using: &generator) ?? "km"
            let action = try Action(
                heading, amounts: [.init(Double.random(in: 0...50, using: &generator), unit)],
                durationMinutes: Bool.random(using: &generator) ? 30 : nil,
                stamp: DayStamp(
                    day: day.adding(Int.random(in: -5...55, using: &generator)), zone: "UTC", startMinute: 0))
            world.actions.append(ActionFacts(action))
        }
        for goal in world.goals {
            for action in world.actions where Int.random(in: 0..<3, using: &generator) == 0 {
                let pair = Pair(action: action.id, goal: goal.id)
                world.meanings[pair] = Double.random(in: 0...1, using: &generator)
                let answers: [Decision.Answer] = [.confirmed, .rejected, .counted(2.5), .counted(1)]
                for _ in 0..<Int.random(in: 0...3, using: &generator) {
                    world.decisions.append(
                        Decision(
                            pair, answers.randomElement(using: &generator) ?? .rejected,
                            decidedAt: Instant(seconds: .random(in: 0...2, using: &generator))))
                }
            }
        }
        return world
    }

    @Test(.slow) func `rows do not depend on the order of anything`() throws {
        var generator = SeededGenerator(21)
        for _ in 0..<20 {
            var world = try world(&generator)
            let expected = try world.projection()
            #expect(!expected.contributions.isEmpty)
            for _ in 0..<5 {
                world.goals.shuffle(using: &generator)
                world.actions.shuffle(using: &generator)
                world.decisions.shuffle(using: &generator)
                let projection = try world.projection()
                #expect(projection.contributions == expected.contributions)
                #expect(projection.questions == expected.questions)
            }
        }
    }

    @Test func `rows are those of a slow reading of the rules`() throws {
        var generator = SeededGenerator(22)
        var methods: [Contribution.Method: Int] = [:]
        for _ in 0..<20 {
            let world = try world(&generator)
            let projection = try world.projection()
            let rows = Dictionary(
                projection.contributions.map { (Pair(action: $0.action, goal: $0.goal), $0) },
                uniquingKeysWith: { a, _ in a })
            #expect(rows.count == projection.contributions.count)
            let asked = Set(projection.questions.map(\.pair))
            #expect(asked.isDisjoint(with: rows.keys))
            for goal in world.goals {
                for action in world.actions {
                    let pair = Pair(action: action.id, goal: goal.id)
                    let match = Match(action, goal, meaning: world.meanings[pair])
                    let own = world.decisions.filter { $0.pair == pair }
                    let last = own.map(\.decidedAt).max()
                    let answers = own.filter { $0.decidedAt == last }.map(\.answer)
                    var amount: Double?
                    if answers.isEmpty {
                        amount = match.confidence >= 0.7 && match.verdict != .no ? match.amount?.doubleValue : nil
                        #expect(asked.contains(pair) == (match.verdict == .asks))
                    } else if !answers.contains(.rejected) {
                        let counted = answers.compactMap { answer -> Double? in
                            if case .counted(let amount) = answer { amount } else { nil }
                        }
                        amount = counted.max() ?? match.amount?.doubleValue
                    }
                    let row = rows[pair]
                    #expect(row?.amount == amount)
                    if let row { methods[row.method, default: 0] += 1 }
                    if row?.method == .autoInferred {
                        #expect((row?.confidence ?? 0) >= 0.7)
                    } else if row != nil {
                        #expect(row?.confidence == 1)
                    }
                }
            }
        }
        #expect(methods.count == 3)
    }

    @Test func `edits in any order end in the same rows`() throws {
        var generator = SeededGenerator(23)
        let before = try world(&generator)
        var after = try world(&generator)
        after.goals = before.goals
        let expected = try after.projection()
        for _ in 0..<10 {
            // Each edit takes an action out or puts one in; rows in between do not matter.
            var world = before
            var edits: [(Bool, ActionFacts)] = before.actions.map { (false, $0) } + after.actions.map { (true, $0) }
            edits.shuffle(using: &generator)
            for (isAdded, action) in edits {
                if isAdded { world.actions.append(action) } else { world.actions.removeAll { $0.id == action.id } }
            }
            world.meanings = after.meanings
            world.decisions = after.decisions
            #expect(try world.projection().contributions == expected.contributions)
        }
    }

    @Test func `a negative amount of a decision is refused`() throws {
        var generator = SeededGenerator(24)
        var world = try world(&generator)
        let pair = Pair(action: world.actions[0].id, goal: world.goals[0].id)
        world.decisions = [Decision(pair, .counted(-1), decidedAt: Instant(seconds: 5))]
        #expect(throws: InvalidFields.self) { try world.projection() }
    }
}
