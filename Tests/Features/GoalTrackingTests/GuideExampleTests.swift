import Foundation
import GRDB
import GatewayAPI
import GoalRoom
import GoalTracking
import Storage
import TestSupport
import Testing

/// The examples of the original app's guide. It has no data set: only a stored row's JSON, and actions in its snippets.
@Suite struct GuideExamples {
    private static let guide = Repository.root.deletingLastPathComponent()
        .appending(path: "shared/reference/ten-week-goal-guide.md")

    private static var text: String? { (try? Data(contentsOf: guide)).map { String(decoding: $0, as: UTF8.self) } }

    /// The measurements of the snippets, `["km": 5.0, "minutes": 30]`, and the JSON of the stored row.
    private static func measurements(_ text: String) throws -> [[String: Double]] {
        let swift = text.matches(of: /measurements(?:: \[String: Double\]\?)? = (\["[^\]]*\])/).map {
            "{\($0.1.dropFirst().dropLast())}"
        }
        let stored = text.matches(of: /measurement_units_by_amount TEXT: '([^']*)'/).map { String($0.1) }
        #expect(stored.count == 1)
        return try (swift + stored).map { try JSONDecoder().decode([String: Double].self, from: Data($0.utf8)) }
    }

    @Test(.enabled(if: text != nil, "needs ../shared/reference beside the repository"))
    func `rows as the guide shows them are read, count, and negative ones never do`() async throws {
        let text = try #require(Self.text)
        let measurements = try Self.measurements(text)
        let names = Set(text.matches(of: /Action\(friendlyName: "([^"]+)"\)/).map { String($0.1) })
        #expect(measurements.count >= 5 && names.isSuperset(of: ["Run", "Morning run", "Test run"]))
        let person = try Person()
        let goal = try await person.runningGoal()
        var minutes = GoalBody()
        minutes.title = .set("Move")
        minutes.target = .set(GoalAmount(amount: 300, unit: "min"))
        (minutes.startDate, minutes.targetDate) = (.set("2026-11-01"), .set("2026-11-30"))
        minutes.keywords = .set(["run"])
        let moving = try await person.service.add(minutes, person.turn()).goal
        // As the app itself writes them: JSON of the dictionary, an ISO 8601 date, the id in capital letters.
        let app = try DatabaseQueue(path: person.database.path)
        var (kilometres, spent, wrong) = (0.0, 0.0, 0)
        for name in names.sorted() where name.lowercased().contains("run") {
            for one in measurements {
                let json = try String(decoding: JSONEncoder().encode(one), as: UTF8.self)
                try await app.write { database in
                    try database.execute(
                        sql: """
                            INSERT INTO actions (uuid_id, title, log_time, measurement_units_by_amount)
                            VALUES (?, ?, '2026-11-20T08:00:00Z', ?)
                            """, arguments: [UUID().uuidString, name, json])
                }
                guard one.values.allSatisfy({ $0 >= 0 }) else {
                    wrong += 1
                    continue
                }
                kilometres += one["km"] ?? 0
                spent += one["minutes"] ?? 0
            }
        }
        try app.close()
        #expect(wrong > 0 && kilometres > 0 && spent > 0)
        try await person.service.store.matchChanges()
        #expect(try await person.service.goal(goal.id).progress?.achieved == kilometres)
        #expect(try await person.service.goal(moving.id).progress?.achieved == spent)
        #expect(try await person.service.store.matches.rebuild().changed == 0)
        // What the app's `isValid` refuses is refused here, too.
        await #expect(throws: (any Error).self) { try await person.log("Run", [GoalAmount(amount: -5, unit: "km")]) }
        #expect(try await person.log("Morning run").title == "Morning run")
    }
}
