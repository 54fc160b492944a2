import Database
import GatewayAPI
import KeyRoom
import PostgresStorage
import Storage
import TestSupport
import Testing

@testable import StoreMigration

/// Every table of the rooms on its way between a file and PostgreSQL, with values of all kinds in all columns.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct RoomTableMoveTests {
    /// Without the one that never has more than one row.
    private static let plain = RoomTransfer.tables.filter { $0.view == nil && $0.name != "gateway_memory_cursor" }
    /// Its rows come of those of others.
    private static let history = "gateway_goal_history"

    private struct Column {
        var name: String
        var type: String
    }

    private func columns(_ table: String, _ store: any SQLStore) async throws -> [Column] {
        try await store.rows(store.dialect.columns, [.text(table)]).map {
            Column(name: $0.text(0) ?? "", type: ($0.text(1) ?? "").lowercased())
        }
    }

    /// Adds a row to each table whose values are made of a number.
    private func add(_ number: Int, to store: any SQLStore, space: Int64, key: Int64) async throws {
        let session = "INSERT INTO chat_sessions (id, title) VALUES ($1, 't') ON CONFLICT DO NOTHING"
        if store.dialect == .sqlite { try await store.run(session, [.text("s\(number)")]) }
        for table in Self.plain where table.name != Self.history && (table.parent == nil || store.dialect == .sqlite) {
            let columns = try await columns(table.name, store)
            let values = columns.map { column -> SQLValue in
                if column.name == table.space { return .integer(space) }
                if column.name == "owner", table.without.contains("owner") { return .text(nil) }
                if table.parent?.column == column.name { return .text("s\(number)") }
                if table.keys.contains(column.name) { return .integer(number == 1 ? nil : key) }
                return switch column.type {
                case "integer", "bigint": .integer(Int64(number))
                case "real", "double precision": .real(Double(number) + 0.1)
                case "blob", "bytea": .bytes([UInt8(number), 0, 255])
                default: .text(["e\u{301}", "é \"x\"", "B'", "a $1 ?1", "_"][number % 5] + " \(number)")
                }
            }
            let marks = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            try await store.run(
                """
                INSERT INTO \(table.name) (\(columns.map { "\"\($0.name)\"" }.joined(separator: ", ")))
                \(store.dialect.givesID) VALUES (\(marks))
                """, values)
        }
    }

    /// All rows of the tables as they are stored, without what belongs to the store.
    private func rows(_ store: any SQLStore, of file: any SQLStore) async throws -> [String: [SQLRow]] {
        var found: [String: [SQLRow]] = [:]
        for table in Self.plain {
            // A server's history has texts; its values are compared by another test.
            let isHistory = table.name == Self.history
            let names = try await columns(table.name, file).map(\.name).filter { name in
                !table.without.contains(name) && table.constants[name] == nil && name != table.space
                    && !table.keys.contains(name) && !(isHistory && "no".contains(name.prefix(1)) && name != "names")
            }
            let texts = Set(try await columns(table.name, file).filter { $0.type == "text" }.map(\.name))
            let order = table.key.map { "\"\($0)\"\(texts.contains($0) ? store.dialect.byBytes : "")" }
                .joined(separator: ", ")
            let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
            found[table.name] = try await store.rows("SELECT \(list) FROM \(table.name) ORDER BY \(order)", [])
        }
        return found
    }

    private func expectSame(_ one: any SQLStore, _ other: any SQLStore, of file: any SQLStore) async throws {
        let (here, there) = (try await rows(one, of: file), try await rows(other, of: file))
        for (table, found) in here {
            #expect(found == there[table], "\(table): \(found.count) and \(there[table]?.count ?? 0) rows")
        }
    }

    /// A file with rows, and a server whose keys and spaces have other numbers.
    private func stage(_ count: Int) async throws -> (MoveStage, space: Int64, key: Int64) {
        let stage = try await MoveStage(notes: 3)
        _ = try await stage.store.keys.create(name: "of the server")
        _ = try await stage.store.spaces.ensure(
            EmbeddingSpace(model: "other", digest: "o", dimensions: 2, queryPrefix: "", documentPrefix: ""))
        let key = try await stage.database.keys.create(name: "phone").record.id
        let space = try #require(try await stage.database.spaces.active()).id
        for number in 1...count { try await add(number, to: stage.database, space: space, key: key) }
        return (stage, space, key)
    }

    @Test(.slow) func `all tables move, follow changes, and come back as they were`() async throws {
        let (stage, space, key) = try await self.stage(6)
        let all = try await rows(stage.database, of: stage.database)
        #expect(all.allSatisfy { !$0.value.isEmpty })
        let there = try await stage.migration().run()
        #expect(there.isEqual, "\(there.differentConversations)")
        #expect(there.rows == all.values.reduce(0) { $0 + $1.count })
        try await expectSame(stage.database, stage.store, of: stage.database)
        // A number of a key or a space means the same key or space.
        let owners = try await stage.store.rows(
            "SELECT k.name FROM gateway_push_devices d JOIN gateway_keys k ON k.id = d.owner ORDER BY d.id", [])
        #expect(owners.map { $0.text(0) } == Array(repeating: "phone", count: 5))
        let active = try #require(try await stage.store.spaces.active())
        #expect(active.id != space)
        for table in ["gateway_book_vectors", "gateway_goal_vectors"] {
            let spaces = try await stage.store.rows("SELECT DISTINCT space_id FROM \(table)", [])
            #expect(spaces.map { $0.integer(0) } == [active.id])
        }
        let again = try await stage.migration().run()
        #expect(again.isEqual && again.writtenConversations == 0)

        // Each table gets a change, a deletion and a new row.
        for table in Self.plain where table.name != Self.history {
            let own = try await columns(table.name, stage.database)
            let (id, last) = (table.key[0], own.last { !table.key.contains($0.name) && $0.name != table.space })
            if let last, !table.without.contains(last.name), !table.keys.contains(last.name) {
                let value: SQLValue =
                    switch last.type {
                    case "integer": .integer(-7)
                    case "real": .real(-0.7)
                    case "blob": .bytes([7])
                    default: .text("changed")
                    }
                try await stage.database.run(
                    """
                    UPDATE \(table.name) SET "\(last.name)" = $1
                    WHERE "\(id)" = (SELECT "\(id)" FROM \(table.name) ORDER BY 1 LIMIT 1)
                    """, [value])
            }
            try await stage.database.run(
                "DELETE FROM \(table.name) WHERE \"\(id)\" = (SELECT \"\(id)\" FROM \(table.name) ORDER BY 1 DESC LIMIT 1)"
            )
        }
        try await add(9, to: stage.database, space: space, key: key)
        let second = try await stage.migration().run()
        #expect(second.isEqual, "\(second.differentConversations)")
        try await expectSame(stage.database, stage.store, of: stage.database)
        #expect(try await stage.migration().verify().isEqual)

        let back = try GatewayDatabase(path: stage.folder.path("back.sqlite"))
        let here = try await StoreMigration(from: stage.server, to: FileTransfer(back)).run()
        #expect(here.isEqual, "\(here.differentConversations)")
        try await expectSame(stage.store, back, of: back)
        let before = try await rows(stage.database, of: stage.database)
        let home = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(home.isEqual && home.writtenConversations == 0, "\(home.differentConversations)")
        #expect(try await rows(stage.database, of: stage.database) == before)
        // New rows have new numbers everywhere.
        for store in [stage.store, back] as [any SQLStore] {
            let id = try await store.transaction { session in
                try session.first("INSERT INTO gateway_push_events (at, kind) VALUES (1, 'new') RETURNING id")?.integer(
                    0)
            }
            #expect(id == 10)
        }
        try back.close()
    }

    @Test func `values that must be unique may change places`() async throws {
        let (stage, _, _) = try await self.stage(3)
        #expect(try await stage.migration().run().isEqual)
        try stage.execute(
            """
            CREATE TEMP TABLE earlier AS SELECT id, uuid, channel, address FROM gateway_push_devices;
            UPDATE gateway_push_devices SET uuid = 'free ' || id, address = 'free ' || id;
            UPDATE gateway_push_devices SET uuid = b.uuid, channel = b.channel, address = b.address
                FROM earlier AS b WHERE b.id = 1 + gateway_push_devices.id % 3;
            UPDATE terms SET term_number = -1 WHERE term_number = 1;
            UPDATE terms SET term_number = 1 WHERE term_number = 2;
            UPDATE terms SET term_number = 2 WHERE term_number = -1;
            """)
        let second = try await stage.migration().run()
        #expect(second.isEqual, "\(second.differentConversations)")
        try await expectSame(stage.database, stage.store, of: stage.database)
    }

    @Test(.slow) func `odd rows stay, are named, and keep no other row from moving`() async throws {
        let (stage, _, _) = try await self.stage(2)
        try stage.execute(
            """
            ALTER TABLE goals ADD COLUMN mood TEXT;
            UPDATE goals SET mood = 'calm' WHERE measurement_target > 2;
            ALTER TABLE gateway_push_documents ADD COLUMN more BLOB;
            UPDATE gateway_push_documents SET more = X'01' WHERE id = 1;
            INSERT INTO actions (uuid_id, log_time) VALUES (NULL, 'x'), (X'FF', 'x');
            UPDATE actions SET title = X'FF' WHERE duration_minutes > 2;
            UPDATE goals SET measurement_target = 'many' WHERE measurement_target < 2;
            UPDATE gateway_briefings SET zone = 'nul' || char(0) || 'x' WHERE made_at = 1;
            """)
        let left = try await stage.file.leftBehind(in: stage.server)
        func count(_ subject: String) -> Int? { left.first { $0.subject == subject }?.count }
        #expect(count("goals.mood") == 1 && count("gateway_push_documents.more") == 1 && count("actions") == 2)
        #expect(left.count == 3, "\(left)")
        let there = try await stage.migration().run()
        let different = there.differentConversations
        // Two entries of the history have such values, too.
        let tables = ["goals", "actions", "gateway_goal_history", "gateway_goal_history", "gateway_briefings"]
        #expect(there.differences == 5 && zip(different, tables).allSatisfy { $0.hasPrefix($1 + " ") }, "\(different)")
        for (table, rows) in [("actions", 1), ("goals", 1), ("gateway_briefings", 1), ("gateway_push_documents", 2)] {
            let count = try await stage.store.rows("SELECT count(*) FROM \(table)", []).first?.count(0)
            #expect(count == rows, "\(table)")
        }
        // On the way back other programs' columns stay as they are, and so do the rows that did not move.
        _ = try await stage.store.run("UPDATE goals SET title = 'new'")
        let home = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(home.differentConversations == different, "\(home.differentConversations)")
        let goals = try await stage.database.rows("SELECT title, mood FROM goals WHERE mood IS NOT NULL", [])
        #expect(goals.map { $0.text(0) } == ["new"] && goals.map { $0.text(1) } == ["calm"])
        for (table, rows) in [("actions", 4), ("goals", 2), ("gateway_briefings", 2)] {
            let count = try await stage.database.rows("SELECT count(*) FROM \(table)", []).first?.count(0)
            #expect(count == rows, "\(table)")
        }
    }

    @Test func `tables of goals that the gateway cannot use stay, with all that belongs to them`() async throws {
        let (stage, _, _) = try await self.stage(2)
        try stage.execute("ALTER TABLE goals RENAME COLUMN notes TO remarks")
        let there = try await stage.migration().run()
        #expect(there.isEqual, "\(there.differentConversations)")
        let count = try await stage.store.rows("SELECT count(*) FROM gateway_goal_details", []).first?.count(0)
        #expect(count == 0)
        let left = try await stage.file.leftBehind(in: stage.server)
        #expect(Set(left.map(\.subject)).isSuperset(of: ["goals", "actions", "gateway_goal_history"]))
        #expect(!left.contains { $0.subject.hasPrefix("gateway_book") || $0.subject.hasPrefix("gateway_push") })
        let other = try await MoveStage()
        try await add(1, to: other.store, space: 0, key: 1)
        let stays = try await other.server.leftBehind(in: stage.file)
        #expect(stays.contains { $0.subject == "goals" && $0.count == 1 })
    }

    @Test(.slow) func `a stopped migration goes on, and writes no row twice`() async throws {
        let (stage, _, _) = try await self.stage(3)
        try stage.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 2009)
            INSERT INTO actions (uuid_id, title, log_time) SELECT 'a' || i, 'run', '2026-11-01' FROM n;
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 3009)
            INSERT INTO gateway_push_events (at, kind) SELECT i, 'sent' FROM n;
            """)
        let task = Task {
            try await stage.migration { progress in
                guard progress.step == .rooms else { return }
                if progress.done > 1000 { withUnsafeCurrentTask { $0?.cancel() } }
            }.run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let written = try await stage.server.rooms.counts().reduce(0) { $0 + $1.count }
        #expect(written > 1000)
        // Nothing that the copy itself caused is recorded.
        let turns = try await stage.store.rows(
            "SELECT count(*) FROM gateway_goal_history WHERE turn IS NOT NULL AND length(turn) > 20", [])
        #expect(turns.first?.count(0) == 0)
        let last = try await stage.migration().run()
        #expect(last.isEqual, "\(last.differentConversations)")
        #expect(last.rows - last.writtenConversations == written)
        try await expectSame(stage.database, stage.store, of: stage.database)
    }
}
