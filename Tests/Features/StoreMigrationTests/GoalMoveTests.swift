import AssociationRoom
import Database
import GatewayAPI
import GoalRoom
import Goals
import PostgresStorage
import Schedules
import Storage
import TaskRoom
import TestSupport
import Testing

@testable import StoreMigration

/// Goals, tasks and pairs on their way between a file and PostgreSQL, as the rooms have them.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct GoalMoveTests {
    private static func uuid(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + number).suffix(12))
    }

    private func context(_ turn: String) -> GoalContext { GoalContext(turn: turn, actor: "tester", reason: "why") }

    private func rooms(_ stage: MoveStage) throws -> (file: GoalRoom, server: GoalRoom) {
        let rule = try #require(DayRule(zone: .utc))
        return (stage.database.goals(rule: rule), GoalRoom(stage.store, rule: rule))
    }

    private func fill(_ room: GoalRoom) async throws {
        var goal = GoalRecord(
            id: Self.uuid(1), kind: "smart", title: "Läufe", logTime: "2026-11-01T00:00:00Z", importance: 7, urgency: 3,
            rule: GoalRuleBody(kind: "sum"), schedule: GoalScheduleBody(kind: "daily"), version: 0)
        goal.target = GoalAmount(amount: 100.5, unit: "km")
        (goal.startDate, goal.targetDate, goal.keywords) = ("2026-11-01", "2026-11-30", ["run"])
        _ = try await room.goals.add(goal, context("a"))
        for number in 2...4 {
            var action = ActionRecord(
                id: Self.uuid(number), logTime: "2026-11-20T07:00:00Z", day: "2026-11-20", zone: "UTC", dayStart: 0,
                version: 0)
            action.title = "Run"
            action.amounts = [GoalAmount(amount: 0.1, unit: "km")]
            action.durationMinutes = number == 2 ? 30 : 0.1 + 0.2
            _ = try await room.actions.add(action, at: Instant(seconds: 1_795_176_000), context("b"))
        }
        try await room.delete("actions", Self.uuid(4), context("c"))
    }

    /// The history as clients see it.
    private func history(_ room: GoalRoom) async throws -> [GoalChange] {
        try await room.history.list(GoalHistoryFilter(), after: nil, limit: 100).items
    }

    private func matches(_ store: any SQLStore) async throws -> [SQLRow] {
        try await store.rows("SELECT goal_id, action_id, day, amount FROM gateway_goal_matches ORDER BY 1, 2", [])
    }

    @Test(.slow) func `goals keep their history, which says nothing of the move, and undo works on both sides`()
        async throws
    {
        let stage = try await MoveStage()
        let (file, server) = try rooms(stage)
        try await fill(file)
        let there = try await stage.migration().run()
        #expect(there.isEqual, "\(there.differentConversations)")
        #expect(try await history(server) == history(file))
        try await server.matchChanges()
        let matched = try await matches(stage.store)
        #expect(try await matches(stage.database) == matched && matched.count == 2)

        _ = try await server.history.undo(.turn("c"), context("u"))
        #expect(try await server.actions.find(Self.uuid(4)).durationMinutes == 0.1 + 0.2)
        let home = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(home.isEqual, "\(home.differentConversations)")
        let changes = try await history(file)
        #expect(try await changes == history(server) && changes.first?.turn == "u")
        try await file.matchChanges()
        #expect(try await matches(stage.database).count == 3)
        _ = try await file.history.undo(.turn("u"), context("v"))
        let actions = try await file.actions.list(ActionFilter(), after: nil, limit: 9)
        #expect(actions.items.map(\.id).sorted() == [Self.uuid(2), Self.uuid(3)])
    }

    @Test(.slow) func `tasks move with their threads, and pairs with their notes`() async throws {
        let stage = try await MoveStage(notes: 9)
        let thread = try #require(try await stage.file.threadRecords().first).id
        try stage.execute(
            """
            ALTER TABLE thread_tasks ADD COLUMN title TEXT;
            INSERT INTO thread_tasks (id, thread_id, created_at, title) VALUES
                (5, \(thread), '2026-11-01T10:00:00.000Z', 'of another program'), (7, 999, NULL, 'lost'),
                (8, \(thread), '2026-11-02T10:00:00.000Z', 'b');
            INSERT INTO gateway_task_details (task_id, title, due, completed_at) VALUES
                (8, 'ours', '2026-12-01', '2026-11-03 10:00:00');
            INSERT INTO note_associations VALUES (1, 2, 0.5), (2, 3, 0.75), (4, 99, 0.5), ('x', 1, 1);
            """)
        let left = try await stage.file.leftBehind(in: stage.server)
        #expect(
            left.map(\.subject) == ["thread_tasks", "note_associations"] && left.map(\.count) == [1, 2], "\(left)")
        let there = try await stage.migration().run()
        #expect(there.isEqual, "\(there.differentConversations)")
        func titles(_ store: any SQLStore) async throws -> [String] {
            try await store.tasks.page(.all, limit: 9).items.map {
                "\($0.id) \($0.title ?? "") \($0.completedAt ?? "")"
            }
        }
        #expect(try await titles(stage.store) == ["8 ours 2026-11-03 10:00:00", "5 of another program "])
        func pairs(_ store: any SQLStore) async throws -> [Double] {
            try await store.associations.page(minSimilarity: 0, since: nil, limit: 9).items.map(\.similarity)
        }
        #expect(try await pairs(stage.store) == [0.75, 0.5])
        let made = try await stage.store.tasks.create(NewTask(title: "new", due: nil, thread: thread))
        #expect(made.id == 9)
        var update = TaskUpdate()
        update.isDone = true
        _ = try await stage.store.tasks.change(5, update)
        let home = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(home.isEqual, "\(home.differentConversations)")
        #expect(try await titles(stage.database).count == 4)
        #expect(try await stage.database.tasks.find([5]).first?.completedAt != nil)
        #expect(try await pairs(stage.database) == [0.75, 0.5])
        let again = try await stage.migration(.init(overwrites: true)).run()
        #expect(again.isEqual && again.writtenConversations == 0)
    }
}
