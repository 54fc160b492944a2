import GRDB
import GatewayAPI
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

/// Messages newest first: an index of ours that stays right whatever another program does to its table.
@Suite struct SessionMessageIndexTests {
    private func ids(_ database: GatewayDatabase, _ session: String, limit: Int = 500) async throws -> [Int64]? {
        try await database.messages.newestPage(of: session, limit: limit)?.items.map(\.id)
    }

    @Test func `a page of 10,000 messages is read by index`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        try temporary.sql { other in
            try other.execute(
                sql: """
                    INSERT INTO conversations (session_id, role, content, created_at)
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                    SELECT iif(i % 2, 'odd', 'even'), 'user', 'text ' || i, '2026-01-01 00:00:00' FROM n
                    """)
        }
        let page = try #require(try await database.messages.newestPage(of: "odd", limit: 100))
        #expect(page.items.map(\.id) == (0..<100).map { 19_999 - 2 * $0 })
        #expect(page.items.first?.content == "text 19999" && page.next != nil)
        let before = try await database.messages.newestPage(of: "odd", after: PageCursor(before: 5), limit: 100)
        #expect(before?.items.map(\.id) == [3, 1] && before?.next == nil)
        let plan = try await database.read { database in
            try Row.fetchAll(
                database, sql: "EXPLAIN QUERY PLAN " + SessionMessageIndex.query(true), arguments: ["odd", 9, 1]
            )
            .compactMap { $0.text(3) }
        }
        let found = "SEARCH gateway_session_messages USING COVERING INDEX gateway_session_messages_session"
        #expect(plan == ["\(found) (session_id=? AND message_id<?)"])
    }

    @Test(.slow, arguments: TableRebuild.allCases)
    func `a rebuilt table of messages is read again, and the notes are left alone`(_ rebuild: TableRebuild) async throws
    {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        try temporary.sql { other in
            try other.execute(
                sql: """
                    INSERT INTO conversations (id, session_id, role, content)
                    VALUES (1, 'a', 'user', 'x'), (2, 'b', 'user', 'x'), (3, 'a', 'user', 'x'), (4, 'a', 'user', 'x')
                    """)
        }
        #expect(try await ids(database, "a") == [4, 3, 1])
        let cursor = try await database.changes.changeState().cursor
        try temporary.sql { other in
            for statement in try rebuild.statements(for: "conversations", in: other) {
                try other.execute(sql: statement)
            }
            // Written while no trigger watches.
            try other.execute(
                sql: """
                    DELETE FROM conversations WHERE id = 3; UPDATE conversations SET session_id = 'b' WHERE id = 4;
                    INSERT INTO conversations (id, session_id, role, content) VALUES (9, 'a', 'user', 'x');
                    """)
        }
        #expect(try await ids(database, "a") == [9, 1])
        #expect(try await ids(database, "b") == [4, 2])
        #expect(database.triggerRepairs == 1)
        #expect(try await database.changes.changeState().cursor == cursor, "the notes were not touched")
        try temporary.sql { other in
            // A copy by SELECT has no primary key, so nothing is replaced.
            if rebuild == .asSelect { try other.execute(sql: "DELETE FROM conversations WHERE id = 2") }
            try other.execute(
                sql: """
                    INSERT OR REPLACE INTO conversations (id, session_id, role, content)
                    VALUES (10, 'a', 'user', 'x'), (2, 'a', 'user', 'x');
                    UPDATE conversations SET id = 20 WHERE id = 9; DELETE FROM conversations WHERE id = 1;
                    """)
        }
        #expect(try await ids(database, "a") == [20, 10, 2])
        #expect(try await ids(database, "b") == [4])
        #expect(try await ids(database, "none") == nil)
    }

    @Test func `messages of a view are listed, too`() async throws {
        let temporary = try TemporaryDatabase()
        try temporary.open().close()
        try temporary.sql { other in
            try other.execute(
                sql: """
                    ALTER TABLE conversations RENAME TO kept;
                    INSERT INTO kept (session_id, role, content) VALUES ('a', 'user', 'x'), ('a', 'assistant', 'y');
                    CREATE VIEW conversations AS SELECT * FROM kept;
                    """)
        }
        #expect(try await ids(try temporary.open(), "a") == [2, 1])
    }
}
