import Foundation
import Schedules
import Testing

@testable import Goals

/// What Oracle/progress.py computed with numpy, scipy and exact fractions.
struct ProgressOracleTests {
    private struct Case: Decodable {
        struct Expected: Decodable {
            var achieved: String
            var needed: String
            var fraction: String
            var elapsed: String
            var status: String
            var pace: String?
            var required: String?
            var estimate: Double?
            var lower: Double?
            var upper: Double?
            var reached: Int?
            var windows: String
            var current: Int?
        }

        enum Part: Decodable {
            case number(Int)
            case text(String)
            case list([Int])

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    self = .number(number)
                } else if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else {
                    self = .list(try container.decode([Int].self))
                }
            }
        }

        var rule: String
        var bound: String
        var window: String
        var share: Int
        var length: Int
        var freezes: Int
        var start: Int
        var end: Int
        var today: Int
        var schedule: Part
        var skips: [Int]
        var entries: [[Part]]
        var target: String
        var changes: [[Part]]
        var expected: Expected
    }

    private func dated(_ parts: [Case.Part]) throws -> (LocalDay, Rational) {
        guard parts.count == 2, case .number(let day) = parts[0], case .text(let text) = parts[1] else {
            throw CancellationError()
        }
        return (LocalDay(number: day), try #require(Rational(parsing: text)))
    }

    private func question(_ line: Case) throws -> ProgressQuestion {
        let bound = try #require(ProgressRule.Bound(rawValue: line.bound))
        let window = try #require(ProgressRule.Window(rawValue: line.window))
        let rule: ProgressRule
        switch line.rule {
        case "sum": rule = .sum
        case "count": rule = .count
        case "average": rule = .average(bound)
        case "each": rule = .each(window, bound, share: line.share)
        default: rule = .streak(length: line.length, freezes: line.freezes)
        }
        let changes = try line.changes.map(dated).map { Timeline.Change(from: $0.0, value: $0.1) }
        let start = LocalDay(number: line.start)
        let schedule: GoalSchedule =
            switch line.schedule {
            case .text: .daily
            case .list(let weekdays): .weekdays(Set(weekdays))
            case .number(let days): .every(days: days, from: start)
            }
        return ProgressQuestion(
            rule: rule, target: Timeline(try #require(Rational(parsing: line.target)), changes: changes), start: start,
            end: LocalDay(number: line.end), today: LocalDay(number: line.today),
            entries: try line.entries.map(dated).map { ProgressQuestion.Entry(day: $0.0, amount: $0.1) },
            skips: Set(line.skips.map { LocalDay(number: $0) }), schedule: Timeline(schedule))
    }

    private func isClose(_ a: Double?, _ b: Double?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return abs(a - b) <= 1e-5 * max(1, abs(b))
    }

    private func compare(_ file: URL) throws -> Int {
        var count = 0
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let data = try JSONDecoder().decode(Case.self, from: Data(line.utf8))
            let expected = data.expected
            let progress = try Progress(of: question(data))
            let exact = [
                (progress.achieved, expected.achieved), (progress.needed, expected.needed),
                (progress.fraction, expected.fraction), (progress.elapsed, expected.elapsed),
            ].allSatisfy { $0.0 == Rational(parsing: $0.1) }
            let pace =
                progress.pace?.actual == expected.pace.flatMap { Rational(parsing: $0) }
                && progress.pace?.required == expected.required.flatMap { Rational(parsing: $0) }
            let projection = progress.projection
            let isProjected =
                isClose(projection?.estimate, expected.estimate) && isClose(projection?.lower, expected.lower)
                && isClose(projection?.upper, expected.upper) && projection?.reachedOn?.number == expected.reached
            let windows = progress.windows.compactMap { $0.result.rawValue.first }
            let isSame =
                exact && pace && isProjected && progress.status.rawValue == expected.status
                && String(windows) == expected.windows && progress.currentStreak == expected.current
            if !isSame { Issue.record("\(line): \(progress)") }
            count += 1
        }
        return count
    }

    @Test func `progress is that of numpy in a stored sample`() throws {
        let folder = try #require(Bundle.module.resourceURL).appending(path: "Fixtures")
        #expect(try compare(folder.appending(path: "progress.jsonl")) == 200)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["SELENE_PROGRESS"] != nil))
    func `progress is that of numpy in another sample`() throws {
        let path = try #require(ProcessInfo.processInfo.environment["SELENE_PROGRESS"])
        #expect(try compare(URL(filePath: path)) > 0)
    }
}
