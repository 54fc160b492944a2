import Foundation
import Goals
import Testing

@testable import Questions

/// Questions that a person labelled with what they mean.
@Suite struct QuestionSet {
    /// A question and its label.
    struct Labelled: Sendable, CustomStringConvertible {
        var kind: QuestionAnalysis.Kind
        var stretch: CalendarStretch?
        var phrases: [String]
        var excluded: [String]
        var question: String
        var isHeldOut: Bool

        var description: String { question }

        /// What differs between the label and an analysis; empty when nothing does.
        func differences(from found: QuestionAnalysis) -> [String] {
            var differences: [String] = []
            if found.kind != kind { differences.append("\(found.kind) for \(kind)") }
            if found.stretch != stretch {
                differences.append("\(QuestionSet.text(found.stretch)) for \(QuestionSet.text(stretch))")
            }
            if found.phrases != phrases { differences.append("\(found.phrases) for \(phrases)") }
            if found.excluded.map({ $0.lowercased() }) != excluded.map({ $0.lowercased() }) {
                differences.append("without \(found.excluded) for \(excluded)")
            }
            return differences
        }
    }

    static let today = LocalDay(year: 2026, month: 11, day: 23) ?? .earliest

    static func text(_ stretch: CalendarStretch?) -> String {
        stretch.map { "\($0.first?.description ?? "")..\($0.last?.description ?? "")" } ?? "any time"
    }

    static func labelled() throws -> [Labelled] {
        let file = try #require(Bundle.module.url(forResource: "Fixtures/questions", withExtension: "txt"))
        let kinds: [Substring: QuestionAnalysis.Kind] = [
            "L": .lookup, "T": .time, "P": .pattern, "S": .summary, "C": .comparison, "K": .knowledge,
        ]
        var isHeldOut = false
        var found: [Labelled] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("#") {
                if line.hasPrefix("# == held out") { isHeldOut = true }
                continue
            }
            let parts = line.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false)
            try #require(parts.count == 5, "\(line)")
            var stretch: CalendarStretch?
            if !parts[1].isEmpty {
                let days = parts[1].replacing("..", with: "|").split(separator: "|", omittingEmptySubsequences: false)
                try #require(days.count == 2, "\(line)")
                stretch = CalendarStretch(LocalDay(parsing: days[0]), LocalDay(parsing: days[1]))
            }
            func list(_ text: Substring) -> [String] {
                text.split(separator: ";").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\" ")) }
            }
            found.append(
                Labelled(
                    kind: try #require(kinds[parts[0]], "\(line)"), stretch: stretch, phrases: list(parts[2]),
                    excluded: list(parts[3]), question: String(parts[4]), isHeldOut: isHeldOut))
        }
        return found
    }

    @Test func `nine of ten labelled questions are read exactly`() throws {
        let all = try Self.labelled()
        #expect(all.count >= 300 && Set(all.map(\.question)).count == all.count)
        var wrong: [Bool: Int] = [:]
        for item in all {
            let found = QuestionAnalysis(item.question, today: Self.today)
            let differences = item.differences(from: found)
            guard !differences.isEmpty else { continue }
            wrong[item.isHeldOut, default: 0] += 1
            if !item.isHeldOut || ProcessInfo.processInfo.environment["SHOW_HELD_OUT"] != nil {
                print("question read otherwise: \(item.question): \(differences.joined(separator: "; "))")
            }
        }
        for isHeldOut in [false, true] {
            let count = all.filter { $0.isHeldOut == isHeldOut }.count
            let right = count - wrong[isHeldOut, default: 0]
            let share = Double(right) / Double(max(count, 1))
            print("questions \(isHeldOut ? "held out" : "open"): \(right) of \(count) exact, \(share)")
            #expect(share >= 0.9)
        }
    }
}
