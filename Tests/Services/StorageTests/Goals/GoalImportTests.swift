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

/// Imports of files from outside: bounded in what they cost, and in how long other writers wait.
@Suite struct GoalImports {
    private let context = GoalContext(turn: "import", actor: "tester")

    private func rule() throws -> DayRule { try #require(DayRule(zone: .utc, startMinute: 0)) }

    private func outside(_ sql: String) throws -> TemporaryDatabase {
        let temporary = try TemporaryDatabase()
        let queue = try DatabaseQueue(path: temporary.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return temporary
    }

    private let table =
        "CREATE TABLE actions (id INTEGER PRIMARY KEY, uuid_id TEXT, log_time TEXT, title TEXT, note BLOB);"
    private let hundred = """
        INSERT INTO actions (log_time, title) WITH n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        SELECT '2025-01-01T00:00:00', 'Run ' || i FROM n;
        """

    @Test(arguments: ["VIRTUAL", "STORED"]) func `generated columns are not computed`(_ kind: String) async throws {
        let file = try outside(
            """
            CREATE TABLE actions (id INTEGER PRIMARY KEY, uuid_id TEXT, log_time TEXT, title TEXT,
            description TEXT GENERATED ALWAYS AS (\(kind == "VIRTUAL" ? "zeroblob(100000000)" : "'x'")) \(kind));
            \(hundred)
            """)
        let database = try TemporaryDatabase().open()
        let store = database.goals(rule: try rule())
        let rows = try await OriginalDatabase.rows(at: file.path).rows
        let report = try await store.transfer.importRows(rows, context)
        #expect(report.added == ["actions": 100] && report.refusals == 0)
        let actions = try await store.actions.list(ActionFilter(), after: nil, limit: 200).items
        #expect(actions.count == 100 && actions.allSatisfy { $0.description == nil })
    }

    @Test func `views and virtual tables are not read`() async throws {
        let file = try outside(
            "CREATE VIEW actions AS SELECT 1 AS id, NULL AS uuid_id, '2025-01-01' AS log_time, zeroblob(1000000000) AS title;"
        )
        await #expect(throws: StorageError.self) { try await OriginalDatabase.rows(at: file.path) }
    }

    @Test func `rows, values, bytes and time of a file from outside have limits`() throws {
        let small = try outside(table + hundred)
        let count = try OutsideDatabase.read(small.path, maxRows: 100) { try $0.rows(of: "actions").count }
        #expect(count == 100)
        let many = #expect(throws: StorageError.self) {
            try OutsideDatabase.read(small.path, maxRows: 99) { try $0.rows(of: "actions").count }
        }
        #expect(many?.code == .invalid && many?.message.contains("split the file") == true)
        let slow = #expect(throws: StorageError.self) {
            try OutsideDatabase.read(small.path, maxRows: 100, time: .zero) { try $0.rows(of: "actions").count }
        }
        #expect(slow?.message.contains("within") == true)
        let large = try outside(table + "INSERT INTO actions (title) VALUES (hex(zeroblob(600000)));")
        let value = #expect(throws: StorageError.self) {
            try OutsideDatabase.read(large.path, maxRows: 100) { try $0.rows(of: "actions").count }
        }
        #expect(value?.message.contains("more than") == true)
    }

    private func actions(_ count: Int) -> [(action: ActionRecord, at: Instant)] {
        (0..<count).map { index in
            var record = ActionRecord(
                id: UUID().uuidString.lowercased(), logTime: "2026-11-20T10:00:00Z", day: "2026-11-20", zone: "UTC",
                dayStart: 0,
                version: 0)
            record.title = "Run \(index)"
            return (action: record, at: Instant(seconds: 1_763_640_000))
        }
    }

    @Test(.slow) func `a large turn is undone in parts, while other programs write`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        let store = database.goals(rule: try rule())
        _ = try await store.transfer.importActions(actions(600), GoalImport(), context)
        func count() async throws -> Int {
            try await database.read { try Scalar.count($0, sql: "SELECT count(*) FROM actions") ?? 0 }
        }
        // A row that was changed since keeps everything.
        let other = try DatabaseQueue(path: temporary.path)
        try await other.write {
            try $0.execute(sql: "UPDATE actions SET title = 'Mine' WHERE rowid = (SELECT min(rowid) FROM actions)")
        }
        let refused = await #expect(throws: StorageError.self) {
            try await store.history.undo(.turn("import"), GoalContext(turn: "undo", actor: "me"))
        }
        #expect(refused?.code == .conflict)
        #expect(try await count() == 600)
        let mine = try #require(try await store.history.list(GoalHistoryFilter(), after: nil, limit: 1).items.first)
        _ = try await store.history.undo(.change(mine.number), GoalContext(turn: "mine", actor: "me"))

        // The undoing of one row is itself a later change of it.
        let changes = await #expect(throws: StorageError.self) {
            try await store.history.undo(.turn("import"), GoalContext(turn: "undo", actor: "me"))
        }
        #expect(changes?.code == .conflict)
        _ = try await store.transfer.importActions(
            actions(600), GoalImport(), GoalContext(turn: "second", actor: "tester"))
        let undoing = Task {
            try await store.history.undo(.turn("second"), GoalContext(turn: "undo second", actor: "me"))
        }
        _ = try await database.notes.create(NoteDraft(title: "Note", content: "A note meanwhile"))
        #expect(try await undoing.value.count == 1200)
        #expect(try await count() == 600)
    }

    @Test(.slow) func `other programs write while an import runs`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        let store = database.goals(rule: try rule())
        let actions = actions(4000)
        let context = context
        let running = Task { try await store.transfer.importActions(actions, GoalImport(), context) }
        func added() async throws -> Int {
            try await database.read { try Scalar.count($0, sql: "SELECT count(*) FROM actions") ?? 0 }
        }
        while try await added() == 0 {}
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        let other = try DatabaseQueue(path: temporary.path, configuration: configuration)
        try await other.write { try $0.execute(sql: "CREATE TABLE other (id INTEGER)") }
        _ = try await database.notes.create(NoteDraft(title: "Note", content: "A note meanwhile"))
        #expect(try await added() < actions.count)
        let report = try await running.value
        #expect(report.added == ["actions": actions.count])
        // One turn, as before.
        let changes = try await store.history.list(GoalHistoryFilter(), after: nil, limit: 5).items
        #expect(Set(changes.map(\.turn)) == ["import"])
    }
}
