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

/// Matching in steps: what a large foreign write leaves waiting, and how it ends.
@Suite struct GoalBacklogs {
    private typealias Tables = GoalHistories

    /// Inserts actions of one km each as another program does, one a day, `perDay` on each.
    private static func insert(_ count: Int, perDay: Int, _ file: TemporaryDatabase) throws {
        try Tables.other(
            file,
            """
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(count))
            INSERT INTO actions (uuid_id, title, log_time, measurement_units_by_amount)
            SELECT printf('00000000-0000-4000-8000-%012d', i), CASE i % 3 WHEN 0 THEN 'Run' WHEN 1 THEN 'Swim' ELSE 'Read' END,
            date('2016-01-01', '+' || (i / \(perDay)) || ' days') || 'T08:00:00Z',
            CASE i % 4 WHEN 3 THEN '{"km": 0.1}' ELSE '{"km": ' || (i % 7) || '.5}' END FROM n
            """)
    }

    private static func goal(
        _ number: Int, _ word: String, from: String = "2016-01-01", to: String = "2035-12-31"
    ) -> String {
        """
        INSERT OR REPLACE INTO goals (uuid_id, title, log_time, measurement_target, measurement_unit, start_date, target_date,
        how_goal_is_actionable) VALUES ('\(Tables.uuid(900_000 + number))', 'Far', '2016-01-01', 5000, 'km',
        '\(from)', '\(to)', '{"keywords": ["\(word)"]}');
        """
    }

    @Test(.slow) func `reads of a large backlog match a bounded part, a worker the rest, equal to a rebuild`()
        async throws
    {
        let file = try TemporaryDatabase()
        let store = try Tables.store(try file.open())
        try Tables.other(file, Self.goal(0, "run") + Self.goal(1, "swim") + Self.goal(2, "read"))
        _ = try await store.matches.waiting()
        try Self.insert(6000, perDay: 6, file)
        store.matches.setWorker(true)
        // The first look matches its share, the next ones leave the rest to the worker.
        let first = try await store.matches.waiting()
        #expect((5000..<6000).contains(first))
        let page = try await store.actions.list(ActionFilter(), after: nil, limit: 50, withContributions: true)
        #expect(page.items.count == 50)
        // What was logged last is matched first.
        #expect(page.items.first?.day == "2018-09-26" && page.items.allSatisfy { $0.contributions?.count == 1 })
        #expect(try await store.matches.waiting() == first)
        var steps = 0
        while try await !store.matches.step() {
            steps += 1
            try #require(steps < 1000)
        }
        #expect(steps > 20)
        #expect(try await store.matches.waiting() == 0)
        let found = try await store.matches.all()
        // A third of the actions count for each goal.
        #expect(found.count { $0.contains(" counts ") } == 6000)
        #expect(try await store.matches.rebuild().changed == 0)
        #expect(try await store.matches.all() == found)
        // Without a worker each read matches its share.
        store.matches.setWorker(false)
        try Tables.other(file, "UPDATE actions SET title = 'Swim' WHERE uuid_id < '\(Tables.uuid(600))'")
        var last = Int.max
        while last > 0 {
            let next = try await store.matches.waiting()
            let isLess = next < last
            try #require(isLess)
            last = next
        }
        #expect(try await store.matches.rebuild().changed == 0)
    }

    @Test(.slow, arguments: [1, 2] as [UInt64]) func `goals that change while they are matched end as from scratch`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed)
        let file = try TemporaryDatabase()
        let store = try Tables.store(try file.open())
        try Self.insert(3000, perDay: 3, file)
        try await store.matchChanges()
        let days = ["2016-01-01", "2016-06-01", "2017-01-01", "2018-01-01"]
        for round in 0..<12 {
            let from = days[Int.random(in: 0..<3, using: &random)]
            let word = ["run", "swim", "read"][Int.random(in: 0..<3, using: &random)]
            let edits = [
                Self.goal(round % 3, word, from: from, to: "2018-06-01"),
                "DELETE FROM goals WHERE uuid_id = '\(Tables.uuid(900_000 + round % 3))'",
                "DELETE FROM actions WHERE uuid_id = '\(Tables.uuid(round * 100))'",
                "UPDATE actions SET title = 'Swim' WHERE uuid_id LIKE '%\(round)'",
                """
                INSERT OR REPLACE INTO gateway_goal_decisions VALUES ('\(Tables.uuid(round * 50 + 1))',
                '\(Tables.uuid(900_000 + round % 3))', 'counted', 0.1, \(round))
                """,
            ]
            try Tables.other(file, edits[round == 0 ? 0 : Int.random(in: edits.indices, using: &random)])
            for _ in 0..<Int.random(in: 0..<3, using: &random) { _ = try await store.matches.step() }
        }
        try await store.matchChanges()
        let found = try await store.matches.all()
        #expect(found.contains { $0.hasPrefix("total ") })
        #expect(try await store.matches.rebuild().changed == 0)
        // The stored totals are the exact sums of the rows.
        let rows = try await store.tables.store.rows(
            "SELECT goal_id, day, amount FROM gateway_goal_matches WHERE state = 'counts'", []
        ).map { ($0.text(0) ?? "", $0.count(1), $0.real(2) ?? 0) }
        for (goal, rows) in Dictionary(grouping: rows, by: \.0) {
            var sums: [Int: (Rational, Int)] = [:]
            for row in rows {
                let old = sums[row.1] ?? (.zero, 0)
                let amount = try #require(Rational(row.2))
                sums[row.1] = (try #require(old.0.adding(amount)), old.1 + 1)
            }
            let entries = try await store.goals.entries(of: goal, until: .latest)
            #expect(entries.count == sums.count)
            #expect(entries.allSatisfy { sums[$0.day.number]?.0 == $0.amount && sums[$0.day.number]?.1 == $0.count })
        }
    }

    @Test func `an amount beyond the limits takes no other action with it`() async throws {
        let file = try TemporaryDatabase()
        let store = try Tables.store(try file.open())
        try Self.insert(30, perDay: 1, file)
        try Tables.other(
            file,
            """
            UPDATE actions SET measurement_units_by_amount = '{"km": 1e300}' WHERE uuid_id = '\(Tables.uuid(3))';
            """ + Self.goal(0, "run"))
        try await store.matchChanges()
        let matched = try await store.goals.entries(of: Tables.uuid(900_000), until: .latest)
        #expect(matched.reduce(0) { $0 + $1.count } == 9)
        #expect(try await store.matches.rebuild().changed == 0)
    }

    @Test(.slow) func `pages deep in the lists begin at their cursor`() async throws {
        let file = try TemporaryDatabase()
        let store = try Tables.store(try file.open())
        try Tables.other(file, Self.goal(0, "run"))
        try Self.insert(600, perDay: 7, file)
        try await store.matchChanges()
        var filter = ActionFilter()
        for goal in [nil, Tables.uuid(900_000).lowercased()] {
            filter.goal = goal
            let all = try await store.actions.list(filter, after: nil, limit: 1000).items.map(\.id)
            #expect(all.count == (goal == nil ? 600 : 200))
            var paged: [String] = []
            var cursor: PageCursor?
            repeat {
                let page = try await store.actions.list(filter, after: cursor, limit: 13)
                paged += page.items.map(\.id)
                cursor = page.next
            } while cursor != nil
            #expect(paged == all)
        }
        let plan = try await store.tables.store.rows(
            """
            EXPLAIN QUERY PLAN SELECT a.title FROM gateway_goal_days d CROSS JOIN actions a
            WHERE a.uuid_id = d.action_id AND d.day BETWEEN '2016' AND '2017'
            AND (d.day, d.at, d.action_id) < ('2017', 5, 'x')
            ORDER BY d.day DESC, d.at DESC, d.action_id DESC LIMIT 50
            """, []
        ).map { $0.text(3) ?? "" }
        #expect(
            plan.contains { $0.contains("gateway_goal_days_order") } && !plan.contains { $0.contains("TEMP B-TREE") })
        var seen: [Int64] = []
        var changes = GoalHistoryFilter()
        changes.resource = "actions"
        var cursor: PageCursor?
        repeat {
            let page = try await store.history.list(changes, after: cursor, limit: 200)
            seen += page.items.map(\.number)
            cursor = page.next
        } while cursor != nil
        // An insertion and the fixing of its day.
        #expect(seen.count == 1200 && seen == seen.sorted(by: >))
    }
}
