import TestSupport
import Testing

@testable import Goals

struct ProgressTests {
    private let start = LocalDay(number: 20_000)

    private func question(
        _ rule: ProgressRule, target: Int, days: Int = 10, today: Int, _ entries: [(Int, Int)], skips: [Int] = []
    ) -> ProgressQuestion {
        ProgressQuestion(
            rule: rule, target: Timeline(Rational(target)), start: start, end: start.adding(days - 1),
            today: start.adding(today),
            entries: entries.map { .init(day: start.adding($0.0), amount: Rational($0.1)) },
            skips: Set(skips.map { start.adding($0) }))
    }

    @Test(
        arguments: [
            (100, 5, [], .notStarted), (100, 5, [(0, 50)], .onTrack), (100, 5, [(0, 49)], .behind),
            (100, 0, [(0, 1)], .onTrack), (100, 5, [(0, 100)], .complete), (100, 5, [(0, 110)], .complete),
            (100, 5, [(0, 111)], .overachieved), (100, 10, [(0, 99)], .overdue), (100, 10, [], .overdue),
            (100, 10, [(9, 100)], .complete), (100, 10, [(10, 100)], .overdue), (100, 3, [(4, 100)], .notStarted),
            (100, -1, [], .notStarted),
        ] as [(Int, Int, [(Int, Int)], Progress.Status)])
    func `a sum has a status`(target: Int, today: Int, entries: [(Int, Int)], status: Progress.Status) throws {
        #expect(try Progress(of: question(.sum, target: target, today: today, entries)).status == status)
    }

    @Test func `pace and projection go on as before`() throws {
        let progress = try Progress(of: question(.sum, target: 100, today: 4, [(0, 8), (1, 12), (2, 8), (3, 12)]))
        #expect(progress.pace == Progress.Pace(actual: Rational(10), required: Rational(10)))
        let projection = try #require(progress.projection)
        #expect(projection.estimate == 100 && projection.reachedOn == start.adding(9))
        // t(0.9, 3) = 1.637744, s = √(16/3), √(6 + 36/4) = √15.
        #expect(abs(try #require(projection.upper) - 114.648_42) < 1e-4)
        #expect(abs(try #require(projection.lower) - 85.351_58) < 1e-4)
    }

    @Test func `a skip is no failure and no entry is not zero`() throws {
        let average = try Progress(of: question(.average(.atLeast), target: 7, today: 5, [(0, 8), (3, 6)]))
        #expect(average.achieved == Rational(7) && average.status == .onTrack)
        let most = try Progress(
            of: question(.each(.day, .atMost, share: 100), target: 2, today: 4, [(0, 2), (1, 3), (2, 0)]))
        #expect(most.windows.prefix(5).map(\.result) == [.kept, .failed, .kept, .missing, .open])
        let least = try Progress(
            of: question(.each(.day, .atLeast, share: 100), target: 2, today: 4, [(0, 2), (2, 3)], skips: [1, 2, 3]))
        #expect(least.windows.prefix(5).map(\.result) == [.kept, .skipped, .kept, .skipped, .open])
        #expect(least.status == .onTrack)
        let skipped = try Progress(of: question(.sum, target: 10, today: 9, [(0, 1)], skips: Array(1...8)))
        #expect(skipped.elapsed == Rational(1, over: 2) && skipped.status == .behind)
    }

    @Test(
        arguments: [
            ("kkk", 0, 3, 3), ("kkmk", 0, 1, 2), ("kkmk", 1, 3, 3), ("kmmk", 1, 1, 1), ("mkk", 1, 2, 2),
            ("kskk", 0, 3, 3), ("kmkmk", 1, 1, 2), ("", 0, 0, 0), ("kkko", 0, 3, 3), ("mmm", 2, 0, 0),
        ])
    func `a streak survives skips and freezes`(days: String, freezes: Int, current: Int, longest: Int) {
        let outcomes = days.enumerated().map { index, letter in
            let result = WindowOutcome.Result.allCases.first { $0.rawValue.first == letter } ?? .open
            return WindowOutcome(first: start.adding(index), last: start.adding(index), result: result)
        }
        let count = StreakCount(outcomes, freezes: freezes)
        #expect(count.current == current && count.longest == longest)
    }

    @Test func `raising the target leaves past days as they were`() throws {
        var question = question(
            .each(.day, .atLeast, share: 100), target: 5, today: 4, [(0, 5), (1, 5), (2, 5), (3, 5)])
        let before = try Progress(of: question)
        try question.target.set(Rational(50), from: question.today, today: question.today)
        let after = try Progress(of: question)
        #expect(before.windows.prefix(4) == after.windows.prefix(4) && before.achieved == after.achieved)
    }

    @Test func `entries in any order give the same progress to the last bit`() throws {
        var generator = SeededGenerator(10)
        let rules: [ProgressRule] = [
            .sum, .count, .average(.atMost), .each(.day, .atLeast, share: 80), .each(.week, .atMost, share: 100),
            .streak(length: 5, freezes: 1),
        ]
        for rule in rules {
            var question = question(rule, target: 30, days: 70, today: 50, [])
            question.entries = try (0..<200).map { _ in
                let amount = Double.random(in: 0...10, using: &generator)
                let day = start.adding(Int.random(in: 0..<70, using: &generator))
                return ProgressQuestion.Entry(day: day, amount: try #require(Rational(amount)))
            }
            let expected = try Progress(of: question)
            for _ in 0..<10 {
                question.entries.shuffle(using: &generator)
                #expect(try Progress(of: question) == expected)
            }
        }
    }

    @Test(.slow) func `seventy years as of each day never change what was over`() throws {
        var generator = SeededGenerator(11)
        var question = question(.each(.day, .atLeast, share: 90), target: 1, days: 25_568, today: 25_568, [])
        question.entries = (0..<20_000).map { _ in
            let day = start.adding(Int.random(in: 0..<25_568, using: &generator))
            return ProgressQuestion.Entry(day: day, amount: .one)
        }
        let whole = try Progress(of: question)
        #expect(whole.windows.count == 25_568)
        for _ in 0..<3 {
            let days = Int.random(in: 1..<25_568, using: &generator)
            question.today = start.adding(days)
            #expect(try Progress(of: question).windows.prefix(days) == whole.windows.prefix(days))
        }
    }

    @Test func `malformed questions are refused by field`() {
        let short = question(.sum, target: 1, days: 0, today: 0, [])
        #expect(throws: InvalidFields.self) { try Progress(of: short) }
        let long = question(.sum, target: 1, days: 36_526, today: 0, [])
        #expect(throws: InvalidFields.self) { try Progress(of: long) }
        let negative = question(.sum, target: 1, today: 0, [(0, -1)])
        #expect(throws: InvalidFields.self) { try Progress(of: negative) }
        for rule in [
            ProgressRule.each(.day, .atLeast, share: 0), .streak(length: 0, freezes: 0),
            .streak(length: 1, freezes: -1),
        ] {
            let wrong = question(rule, target: 1, today: 0, [])
            #expect(throws: InvalidFields.self) { try Progress(of: wrong) }
        }
    }

    @Test func `sums beyond 128 bits are refused`() throws {
        var huge = question(.sum, target: 1, today: 5, [])
        huge.entries = [
            .init(day: start, amount: try #require(Rational(.max, over: 1))), .init(day: start, amount: .one),
        ]
        #expect(throws: InvalidFields.self) { try Progress(of: huge) }
    }
}
