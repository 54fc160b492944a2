import Foundation
import GRDB
import GatewayAPI
import Goals
import Schedules
import StoreTestSupport
import Testing

@testable import GoalRoom
@testable import Storage

/// The history of goals: every writer, every value, and back.
@Suite struct GoalHistories {
    static func store(_ database: GatewayDatabase) throws -> GoalRoom {
        database.goals(rule: try #require(DayRule(zone: .utc)))
    }

    static func uuid(_ number: Int) -> String {
        "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + number).suffix(12))
    }

    /// Writes as another program does.
    static func other(_ file: TemporaryDatabase, _ sql: String) throws {
        let queue = try DatabaseQueue(path: file.path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test func `another program's writes are recorded to the last bit, and undone`() async throws {
        let file = try TemporaryDatabase()
        let store = try Self.store(try file.open())
        let id = Self.uuid(1)
        try Self.other(
            file,
            """
            INSERT INTO actions VALUES ('\(id)', 'Run', NULL, x'00FF', '2026-11-20T07:00:00Z', '{"km": 5}', NULL, 0.1 + 0.2);
            """)
        let first = try await store.actions.find(id)
        #expect(first.day == "2026-11-20" && first.durationMinutes == 0.30000000000000004)
        try Self.other(file, "UPDATE actions SET title = NULL, duration_minutes = 1e300, notes = 'a' || char(0) || 'b'")
        var filter = GoalHistoryFilter()
        filter.id = id.lowercased()
        let changes = try await store.history.list(filter, after: nil, limit: 10).items
        let update = try #require(changes.first { $0.operation == "update" })
        #expect(update.actor == nil && update.table == "actions")
        let fields = Dictionary(uniqueKeysWithValues: update.fields.map { ($0.column, ($0.old, $0.new)) })
        #expect(fields["title"]?.0 == .string("Run") && fields["title"]?.1 == .null)
        #expect(fields["duration_minutes"]?.0 == .number(0.30000000000000004))
        #expect(fields["notes"]?.0 == .object(["blob": .string("00ff")]))
        // The insertion had nothing before it: absent, not NULL.
        let insertion = try #require(changes.first { $0.operation == "insert" && $0.table == "actions" })
        #expect(insertion.fields.allSatisfy { $0.old == nil } && insertion.fields.contains { $0.new == .null })

        let old = try await store.history.action(id, at: .change(update.number - 1))
        #expect(old.title == "Run" && old.day == "2026-11-20")
        _ = try await store.history.undo(.change(update.number), GoalContext(turn: "undo"))
        let bytes = try await store.tables.store.rows(
            "SELECT typeof(notes) || ' ' || hex(notes) || ' ' || title FROM actions", []
        ).first?.text(0)
        #expect(bytes == "blob 00FF Run")
        #expect(try await store.actions.find(id).durationMinutes == 0.30000000000000004)
        // Undoing the undoing brings the other values back.
        _ = try await store.history.undo(.turn("undo"), GoalContext(turn: "redo"))
        let redone = try await store.tables.store.rows(
            "SELECT hex(notes) || ' ' || (duration_minutes = 1e300) FROM actions", []
        ).first?.text(0)
        #expect(redone == "610062 1")
    }

    @Test func `a replaced row is an update, and a deleted one comes back whole`() async throws {
        let file = try TemporaryDatabase()
        let store = try Self.store(try file.open())
        let id = Self.uuid(2)
        let row = { (title: String) in
            "INSERT OR REPLACE INTO personal_values (uuid_id, title, log_time, incentive_type) VALUES ('\(id)', '\(title)', '2026', 'major')"
        }
        try Self.other(file, row("One"))
        try Self.other(file, row("Two"))
        var filter = GoalHistoryFilter()
        filter.resource = "values"
        let changes = try await store.history.list(filter, after: nil, limit: 10).items
        #expect(changes.map(\.operation) == ["update", "insert"])
        #expect(changes.first?.fields.map(\.column) == ["title"])
        _ = try await store.history.undo(.change(try #require(changes.first?.number)), GoalContext(turn: "a"))
        #expect(try await store.values.find(id).title == "One")
        try Self.other(file, "DELETE FROM personal_values")
        await #expect(throws: StorageError.self) { try await store.values.find(id) }
        let deletion = try #require(try await store.history.list(filter, after: nil, limit: 1).items.first)
        #expect(deletion.operation == "delete" && deletion.fields.allSatisfy { $0.new == nil })
        _ = try await store.history.undo(.change(deletion.number), GoalContext(turn: "b"))
        #expect(try await store.values.find(id).title == "One")
        // A change that was overtaken is not undone.
        let error = await #expect(throws: StorageError.self) {
            try await store.history.undo(.change(try #require(changes.first?.number)), GoalContext(turn: "c"))
        }
        #expect(error?.code == .conflict)
    }

    @Test func `a rebuilt table loses no history`() async throws {
        let file = try TemporaryDatabase()
        let database = try file.open()
        let store = try Self.store(database)
        let id = Self.uuid(3)
        try Self.other(file, "INSERT INTO actions (uuid_id, title, log_time) VALUES ('\(id)', 'Run', '2026-11-20')")
        #expect(try await store.actions.find(id).title == "Run")
        try Self.other(
            file,
            """
            CREATE TABLE other AS SELECT * FROM actions;
            DROP TABLE actions;
            CREATE TABLE actions (uuid_id TEXT PRIMARY KEY, title TEXT, description TEXT, notes TEXT, log_time TEXT NOT NULL,
                measurement_units_by_amount TEXT, start_time TEXT, duration_minutes REAL, mood TEXT);
            INSERT INTO actions SELECT *, 'glad' FROM other;
            UPDATE actions SET title = 'Ran';
            DROP TABLE other;
            """)
        #expect(try await store.actions.find(id).title == "Ran")
        var filter = GoalHistoryFilter()
        filter.resource = "actions"
        let latest = try #require(
            try await store.history.list(filter, after: nil, limit: 10).items.first { $0.table == "actions" })
        #expect(latest.operation == "found" && latest.fields.contains { $0.new == .string("glad") })
        #expect(try await database.inspectTriggers().isHealthy)
        try Self.other(file, "UPDATE actions SET mood = 'tired'")
        let update = try #require(
            try await store.history.list(filter, after: nil, limit: 10).items.first { $0.table == "actions" })
        #expect(update.fields == [GoalFieldChange(column: "mood", old: .string("glad"), new: .string("tired"))])
    }

    @Test func `an existing file of the original app opens as it is`() async throws {
        let file = try TemporaryDatabase()
        let id = Self.uuid(4)
        try Self.other(
            file,
            """
            CREATE TABLE actions (uuid_id TEXT PRIMARY KEY, title TEXT, description TEXT, notes TEXT, log_time TEXT NOT NULL,
                measurement_units_by_amount TEXT, start_time TEXT, duration_minutes REAL);
            INSERT INTO actions VALUES ('\(id)', 'Run', NULL, NULL, '2025-10-11T23:30:00', '{"km": 5.0, "min": 30}', NULL, 30);
            CREATE TABLE raw_notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, content TEXT NOT NULL, created_at TEXT NOT NULL);
            INSERT INTO raw_notes VALUES (1, 'A', 'B', '2026-01-01');
            """)
        let before = try Data(contentsOf: URL(filePath: file.path))
        #expect(!before.isEmpty)
        let database = try file.open()
        let store = database.goals(rule: try #require(DayRule(zone: try ZoneDatabase().rules("Europe/Berlin"))))
        let action = try await store.actions.find(id)
        // A time without a zone is one that the person's clock showed.
        #expect(action.day == "2025-10-11" && action.zone == "Europe/Berlin")
        #expect(try await database.notes.find(ids: [1]).first?.title == "A")
        let row = try await database.read {
            try Scalar.text($0, sql: "SELECT measurement_units_by_amount || ' ' || log_time FROM actions")
        }
        #expect(row == #"{"km": 5.0, "min": 30} 2025-10-11T23:30:00"#)
        #expect(try await store.history.action(id, at: .time(.max)).title == "Run")
    }

    @Test func `a file of the later generation is refused by name, and everything else works`() async throws {
        let file = try TemporaryDatabase()
        try Self.other(
            file,
            "CREATE TABLE goals (id TEXT PRIMARY KEY, expectationId TEXT NOT NULL, startDate TEXT, targetDate TEXT)")
        let database = try file.open()
        let store = try Self.store(database)
        let error = await #expect(throws: StorageError.self) {
            try await store.goals.list(GoalFilter(), after: nil, limit: 1)
        }
        #expect(error?.code == .conflict && error?.message.contains("goals has no column uuid_id") == true)
        #expect(try await database.notes.find(ids: [1]).isEmpty)
    }

    @Test func `values of any type are no crash`() async throws {
        let file = try TemporaryDatabase()
        let store = try Self.store(try file.open())
        let odd = [
            "NULL", "1", "1e999", "-1e999", "x'FF00'", "''", "'{\"km\": -1}'", "'[1'", "zeroblob(10)", "'2026-99-99'",
        ]
        var sql = ""
        for (index, value) in odd.enumerated() {
            sql +=
                "INSERT INTO actions VALUES ('\(Self.uuid(100 + index))', \(value), \(value), \(value), coalesce(\(value), 1), \(value), \(value), \(value));"
            sql += """
                INSERT INTO goals VALUES ('\(Self.uuid(200 + index))', coalesce(\(value), 1), \(value), \(value), coalesce(\(value), 1),
                coalesce(\(value), 1), \(value), \(value), \(value), \(value), \(value), \(value), \(value));
                INSERT INTO terms VALUES ('\(Self.uuid(300 + index))', coalesce(\(value), 1), \(value), \(value), \(index),
                coalesce(\(value), 1), coalesce(\(value), 1), \(value), \(value), \(value), \(value));
                INSERT INTO personal_values VALUES ('\(Self.uuid(400 + index))', coalesce(\(value), 1), \(value), \(value),
                coalesce(\(value), 1), coalesce(\(value), 1), coalesce(\(value), 1), \(value), \(value));
                """
        }
        sql += "INSERT INTO actions (uuid_id, log_time) VALUES (x'01', 1), (NULL, 2), (17, 3);"
        try Self.other(file, sql)
        #expect(try await store.actions.list(ActionFilter(), after: nil, limit: 200).items.count == odd.count + 1)
        #expect(try await store.goals.list(GoalFilter(), after: nil, limit: 200).items.count == odd.count)
        #expect(try await store.terms.list(on: nil, after: nil, limit: 200).items.count == odd.count)
        #expect(try await store.values.list(containing: nil, after: nil, limit: 200).items.count == odd.count)
        #expect(try await !store.history.list(GoalHistoryFilter(), after: nil, limit: 200).items.isEmpty)
        #expect(try await !store.transfer.export().isEmpty)
        for index in odd.indices {
            _ = try await store.history.goal(Self.uuid(200 + index), at: .time(.max))
        }
    }
}
