import Foundation
import GRDB
import GatewayAPI
import Goals
import Schedules
import StoreTestSupport
import TestSupport
import Testing

@testable import GoalRoom
@testable import Storage

/// The projection of matches: the same rows in any order of edits, and from scratch.
@Suite struct GoalMatchRows {
    private typealias Tables = GoalHistories

    @Test(.slow, arguments: [1, 2, 3] as [UInt64]) func `edits in any order give the same rows`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed)
        // Each row has its own edits, whose order is kept; edits of different rows are shuffled.
        var rows: [[String]] = []
        for index in 0..<12 {
            let id = Tables.uuid(index)
            let title = ["Run", "Swim", "Read a book", "ran home"][index % 4]
            rows.append([
                """
                INSERT INTO actions (uuid_id, title, log_time, measurement_units_by_amount)
                VALUES ('\(id)', '\(title)', '2026-11-\(10 + index)T08:00:00Z', '{"km": \(index)}')
                """,
                "UPDATE actions SET title = 'Run \(index)' WHERE uuid_id = '\(id)' AND \(index % 3) = 0",
                "DELETE FROM actions WHERE uuid_id = '\(id)' AND \(index % 5) = 0",
            ])
        }
        for index in 0..<4 {
            let id = Tables.uuid(100 + index)
            rows.append([
                """
                INSERT INTO goals (uuid_id, title, log_time, measurement_target, measurement_unit, start_date, target_date,
                how_goal_is_actionable) VALUES ('\(id)', 'Run far', '2026-11-01', 100, '\(index % 2 == 0 ? "km" : "m")',
                '2026-11-12', '2026-11-2\(index)', '{"keywords": ["run"]}')
                """,
                "UPDATE goals SET how_goal_is_actionable = '{\"keywords\": [\"swim\"]}' WHERE uuid_id = '\(id)' AND \(index) = 1",
            ])
        }
        var expected: Set<String>?
        for _ in 0..<3 {
            let file = try TemporaryDatabase()
            let store = try Tables.store(try file.open())
            var queues = rows
            while !queues.isEmpty {
                let index = Int.random(in: queues.indices, using: &random)
                let sql = queues[index].removeFirst()
                if queues[index].isEmpty { queues.remove(at: index) }
                try Tables.other(file, sql)
                if Int.random(in: 0..<4, using: &random) == 0 { try await store.matchChanges() }
            }
            let found = try await store.matches.all()
            #expect(!found.isEmpty)
            #expect(found == expected ?? found)
            expected = found
            #expect(try await store.matches.rebuild().changed == 0)
            #expect(try await store.matches.all() == found)
        }
    }

    @Test func `two writers at once lose nothing`() async throws {
        let file = try TemporaryDatabase()
        let store = try Tables.store(try file.open())
        let second = try Tables.store(try file.open())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, own) in [store, second].enumerated() {
                group.addTask {
                    for index in 0..<30 {
                        let record = ActionRecord(
                            id: GoalHistories.uuid(1000 * (number + 1) + index), title: "Run",
                            logTime: "2026-11-20T08:00:00Z",
                            amounts: [GoalAmount(amount: 1, unit: "km")], day: "2026-11-20", zone: "UTC", dayStart: 0,
                            version: 0)
                        let added = try await own.actions.add(
                            record, at: Instant(seconds: 0), GoalContext(turn: "w\(number)", actor: "writer \(number)"))
                        #expect(added.isNew)
                    }
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<2 {
            var filter = GoalHistoryFilter()
            filter.turn = "w\(number)"
            let changes = try await store.history.list(filter, after: nil, limit: 200).items
            #expect(changes.count == 60 && changes.allSatisfy { $0.actor == "writer \(number)" })
        }
        #expect(try await store.actions.list(ActionFilter(), after: nil, limit: 200).items.count == 60)
    }

    @Test func `pages have each action once, also while others are added`() async throws {
        let file = try TemporaryDatabase()
        let store = try Tables.store(try file.open())
        let values = (0..<95).map { "('\(Tables.uuid($0))', 'Run \($0)', '2026-11-\(10 + $0 % 9)T08:00:00Z')" }
        try Tables.other(file, "INSERT INTO actions (uuid_id, title, log_time) VALUES \(values.joined(separator: ","))")
        var seen: [String] = []
        var cursor: PageCursor?
        repeat {
            let page = try await store.actions.list(ActionFilter(), after: cursor, limit: 10)
            seen += page.items.map(\.id)
            cursor = page.next.flatMap { PageCursor(text: $0.text) }
            try Tables.other(
                file,
                "INSERT INTO actions (uuid_id, title, log_time) VALUES ('\(Tables.uuid(500 + seen.count))', 'new', '2026-12-01')"
            )
        } while cursor != nil
        #expect(Set(seen).count == seen.count && Set(seen).isSuperset(of: (0..<95).map(Tables.uuid)))
    }
}
