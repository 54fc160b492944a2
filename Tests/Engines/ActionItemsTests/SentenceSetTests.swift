import Foundation
import Goals
import Testing

@testable import ActionItems

/// Sentences that a person labelled with the task that each has.
@Suite struct TaskSentenceSet {
    struct Labelled: Sendable {
        var isHeldOut: Bool
        var sentence: String
        var title: String?
        var due: LocalDay?
    }

    static let day = LocalDay(year: 2026, month: 11, day: 23) ?? .earliest

    static func labelled() throws -> [Labelled] {
        let file = try #require(Bundle.module.url(forResource: "Fixtures/sentences", withExtension: "txt"))
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            guard !line.hasPrefix("#") else { return nil }
            let parts = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(parts.count == 3, "\(line)")
            let label = parts[2].components(separatedBy: " @ ")
            let due = label.count > 1 ? LocalDay(parsing: label[1]) : nil
            try #require(label.count == 1 || due != nil, "\(line)")
            return Labelled(
                isHeldOut: parts[0] == "held", sentence: parts[1], title: parts[2] == "-" ? nil : label[0], due: due)
        }
    }

    /// How well the tasks of some sentences were found.
    struct Figures: CustomStringConvertible {
        var tasks = 0
        var found = 0
        var wrong = 0
        var days = 0
        var titles = 0
        var misses: [String] = []

        var precision: Double { Double(found) / Double(max(1, found + wrong)) }
        var recall: Double { Double(found) / Double(max(1, tasks)) }

        var description: String {
            "\(tasks) tasks: precision \(precision), recall \(recall), "
                + "days \(Double(days) / Double(max(1, found))), titles \(Double(titles) / Double(max(1, found)))"
        }
    }

    static func figures(heldOut: Bool) throws -> Figures {
        var figures = Figures()
        let finder = ActionItemFinder(writtenOn: day)
        for one in try labelled() where one.isHeldOut == heldOut {
            let items = finder.find(in: one.sentence)
            if one.title != nil { figures.tasks += 1 }
            if let title = one.title, let item = items.first {
                figures.found += 1
                if item.due == one.due { figures.days += 1 }
                if item.title == title { figures.titles += 1 }
                if item.due != one.due || item.title != title {
                    figures.misses.append("\(item.title) @ \(item.due?.description ?? "-"): \(one.sentence)")
                }
            } else if let item = items.first {
                figures.wrong += 1
                figures.misses.append("wrong \(item.title): \(one.sentence)")
            } else if one.title != nil {
                figures.misses.append("missed: \(one.sentence)")
            }
        }
        return figures
    }

    @Test(arguments: [false, true]) func `tasks are found with their days`(heldOut: Bool) throws {
        let figures = try Self.figures(heldOut: heldOut)
        print("task sentences, \(heldOut ? "held out" : "open"): \(figures)")
        if ProcessInfo.processInfo.environment["SELENE_TASK_MISSES"] == (heldOut ? "held" : "open") {
            print(figures.misses.joined(separator: "\n"))
        }
        #expect(figures.tasks >= 40)
        #expect(figures.precision >= 0.9 && figures.recall >= 0.8, "\(figures)")
        #expect(Double(figures.days) >= 0.9 * Double(figures.found))
    }
}
