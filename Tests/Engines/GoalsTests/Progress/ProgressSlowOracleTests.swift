import TestSupport
import Testing

@testable import Goals

/// Compares progress with readings of its rules that look at every day, or every stretch of days, again and again.
struct ProgressSlowOracleTests {
    private struct Drawn {
        var question: ProgressQuestion
        var target: Int
        var amounts: [Int: [Int]]
        var skips: Set<Int>
        var days: Int
        var today: Int
    }

    private let start = LocalDay(number: 20_000)

    private func draw(_ rule: ProgressRule, _ generator: inout SeededGenerator) -> Drawn {
        let days = Int.random(in: 1...40, using: &generator)
        let today = Int.random(in: -1...45, using: &generator)
        let target = Int.random(in: 1...6, using: &generator)
        var amounts: [Int: [Int]] = [:]
        for _ in 0..<Int.random(in: 0...60, using: &generator) {
            amounts[Int.random(in: -2...44, using: &generator), default: []].append(
                Int.random(in: 0...6, using: &generator))
        }
        let skips = Set((0..<days).filter { _ in Int.random(in: 0..<8, using: &generator) == 0 })
        let question = ProgressQuestion(
            rule: rule, target: Timeline(Rational(target)), start: start, end: start.adding(days - 1),
            today: start.adding(today),
            entries: amounts.flatMap { day, list in
                list.map { .init(day: start.adding(day), amount: Rational($0)) }
            }, skips: Set(skips.map { start.adding($0) }))
        return Drawn(question: question, target: target, amounts: amounts, skips: skips, days: days, today: today)
    }

    @Test func `sums and counts look at each entry`() throws {
        var generator = SeededGenerator(40)
        for round in 0..<500 {
            let drawn = draw(round % 2 == 0 ? .sum : .count, &generator)
            let progress = try Progress(of: drawn.question)
            var sum = 0
            var count = 0
            for (day, list) in drawn.amounts where day >= 0 && day < drawn.days && day <= drawn.today {
                for amount in list {
                    sum += amount
                    count += 1
                }
            }
            let achieved = round % 2 == 0 ? sum : count
            #expect(progress.achieved == Rational(achieved))
            let active = (0..<drawn.days).filter { !drawn.skips.contains($0) }
            let over = active.filter { $0 < drawn.today }.count
            let expected: Progress.Status
            if achieved * 10 > drawn.target * 11 {
                expected = .overachieved
            } else if achieved >= drawn.target {
                expected = .complete
            } else if drawn.today >= drawn.days {
                expected = .overdue
            } else if count == 0 {
                expected = .notStarted
            } else {
                expected = achieved * active.count < drawn.target * over ? .behind : .onTrack
            }
            #expect(progress.status == expected)
        }
    }

    @Test func `the longest streak is the best of all stretches of days`() throws {
        var generator = SeededGenerator(41)
        for _ in 0..<500 {
            let drawn = draw(.streak(length: 5, freezes: 0), &generator)
            let progress = try Progress(of: drawn.question)
            func isKept(_ day: Int) -> Bool {
                day <= drawn.today && (drawn.amounts[day].map { $0.reduce(0, +) >= drawn.target } ?? false)
            }
            func isBroken(_ day: Int) -> Bool { !isKept(day) && !drawn.skips.contains(day) && day < drawn.today }
            var longest = 0
            for first in 0..<drawn.days {
                for last in first..<drawn.days where !(first...last).contains(where: isBroken) {
                    longest = max(longest, (first...last).filter(isKept).count)
                }
            }
            #expect(progress.achieved == Rational(longest))
        }
    }

    @Test func `each week is judged by its own days`() throws {
        var generator = SeededGenerator(42)
        for round in 0..<500 {
            let bound: ProgressRule.Bound = round % 2 == 0 ? .atLeast : .atMost
            let drawn = draw(.each(.week, bound, share: 100), &generator)
            let progress = try Progress(of: drawn.question)
            #expect(progress.windows.count == drawn.days / 7)
            for (week, window) in progress.windows.enumerated() {
                let days = (week * 7)..<(week * 7 + 7)
                let entries = days.filter { $0 <= drawn.today }.flatMap { drawn.amounts[$0] ?? [] }
                let total = entries.reduce(0, +)
                switch window.result {
                case .kept:
                    #expect(!entries.isEmpty && (bound == .atLeast ? total >= drawn.target : total <= drawn.target))
                case .failed:
                    #expect(!entries.isEmpty && (bound == .atLeast ? total < drawn.target : total > drawn.target))
                case .missing: #expect(entries.isEmpty && days.upperBound <= drawn.today)
                case .skipped: #expect(days.allSatisfy(drawn.skips.contains))
                case .open: #expect(days.upperBound > drawn.today)
                }
            }
        }
    }
}
