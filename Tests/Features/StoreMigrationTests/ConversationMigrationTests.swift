import ChatRoom
import Foundation
import GRDB
import GatewayAPI
import PostgresStorage
import Storage
import TestSupport
import Testing

@testable import StoreMigration

/// Chat sessions, messages and memories on their way between a file and PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct ConversationMigrationTests {
    /// Stores sessions with messages, and memories, each with another value in each column.
    private func fill(_ store: any GatewayStore, sessions: Int = 5, messages: Int = 3) async throws {
        for number in 0..<sessions {
            var change = SessionChange()
            change.title = "session \(number) \u{0} é e\u{301}"
            change.createdAt = 1_700_000_000 + Int64(number)
            change.updatedAt = 1_700_001_000 - Int64(number)
            change.isPinned = number % 2 == 0
            if number % 2 == 1 { change.compressionState = "hybrid" }
            if number % 3 == 1 {
                change.compressedAt = .set(1_700_000_500)
                change.summaryText = .set("short")
                change.messagesJSON = .set(#"[{"role": "user"}, {}]"#)
            }
            _ = try await store.sessions.save("s\(number)", change)
            for place in 0..<messages {
                _ = try await store.messages.add(
                    to: "s\(number)", role: place % 2 == 0 ? "user" : "assistant", content: "text \(number) \(place)")
            }
            let memory = try await store.memories.create(
                NewMemory(
                    content: "memory \(number)", type: number % 2 == 0 ? "fact" : "pattern",
                    confidence: 1 / Double(number + 1), sourceSessionID: number % 2 == 0 ? "s\(number)" : nil,
                    embedding: number % 2 == 0 ? [Float(number), -0.0, 1e-30] : nil))
            var pin = MemoryUpdate()
            pin.isPinned = true
            if number == 3 { _ = try await store.memories.update(memory.id, pin) }
        }
    }

    /// Stores many sessions with messages, and a memory for each, as another program.
    private func fillFast(_ stage: MoveStage, sessions: Int, messages: Int) throws {
        func numbers(_ name: String, _ count: Int) -> String {
            "\(name)(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM \(name) WHERE i + 1 < \(count))"
        }
        let time = "'2026-01-01 00:00:00'"
        try stage.execute(
            """
            WITH RECURSIVE \(numbers("s", sessions))
            INSERT INTO chat_sessions (id, title, created_at, updated_at) SELECT 's' || i, 't' || i, \(time), \(time) FROM s;
            WITH RECURSIVE \(numbers("s", sessions)), \(numbers("m", messages))
            INSERT INTO conversations (session_id, role, content, created_at)
            SELECT 's' || s.i, 'user', 'text ' || m.i, \(time) FROM s, m;
            WITH RECURSIVE \(numbers("s", sessions))
            INSERT INTO conversation_memories (content, type, confidence, created_at) SELECT 'm' || i, 'fact', 0.5, \(time) FROM s;
            """)
    }

    /// All that clients of a store see.
    private struct View: Equatable {
        var sessions: [Session]
        var messages: [[Message]]
        var memories: [Memory]
    }

    private func view(_ store: some GatewayStore) async throws -> View {
        let sessions = try await store.sessions.page(after: nil, limit: 100).items
        var messages: [[Message]] = []
        for session in sessions {
            messages.append(try await store.messages.page(of: session.id, after: nil, limit: 100)?.items ?? [])
        }
        var memories = try await store.memories.page(
            embeddings: true, state: .active, type: nil, after: nil, limit: 100
        ).items
        // A file may have no time of the last change.
        for place in memories.indices { memories[place].updatedAt = nil }
        // PostgreSQL has no U+0000, and a session's count is what it was when it moved.
        let plain = sessions.map { session in
            var session = session
            session.title = session.title.replacing("\0", with: "\u{FFFD}")
            return session
        }
        return View(sessions: plain, messages: messages, memories: memories)
    }

    @Test func `sessions, messages and memories go to PostgreSQL and come back as they were`() async throws {
        let stage = try await MoveStage(notes: 2)
        try await fill(stage.database)
        let before = try MoveStage.conversations(of: stage.path)
        let there = try await stage.migration().run()
        #expect(there.isEqual, "\(there.differentConversations)")
        #expect((there.sessions, there.messages, there.memories) == (5, 15, 5))
        // One of them is what is known of the pinned memory.
        #expect(there.writtenConversations == 26)
        #expect(there.equal == 28)
        #expect(try await view(stage.store) == view(stage.database))
        let again = try await stage.migration().run()
        #expect(again.isEqual && again.writtenConversations == 0)

        let path = stage.folder.path("back.sqlite")
        let back = try GatewayDatabase(path: path)
        let here = try await StoreMigration(from: stage.server, to: FileTransfer(back)).run()
        #expect(here.isEqual && here.writtenConversations == 26, "\(here.differentConversations)")
        #expect(try await view(back) == view(stage.store))
        // Into the file that they came from nothing is written.
        let home = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(home.isEqual && home.writtenConversations == 0)
        #expect(try MoveStage.conversations(of: stage.path) == before)
        try back.close()
    }

    @Test(.slow) func `changes go back into the file that the sessions came from, and no other value changes`()
        async throws
    {
        let stage = try await MoveStage(notes: 1)
        try await fill(stage.database)
        try stage.execute(
            """
            ALTER TABLE chat_sessions ADD COLUMN mood TEXT;
            UPDATE chat_sessions SET mood = 'calm', is_pinned = 'yes', updated_at = 1700000000123 WHERE id = 's0';
            UPDATE conversations SET role = X'75736572' WHERE session_id = 's0';
            INSERT INTO conversations (session_id, role, content) VALUES ('lost', 'user', 'nowhere'), (5, 'user', 'x');
            INSERT INTO chat_sessions (id, title) VALUES (X'00', 'blob'), ('', 'empty');
            UPDATE conversation_memories SET confidence = 'much', type = NULL, last_accessed_at = NULL WHERE id = 1;
            """)
        let before = try MoveStage.conversations(of: stage.path)
        let there = try await stage.migration().run()
        #expect(there.isEqual, "\(there.differentConversations)")
        let left = try await stage.file.leftBehind()
        func count(_ subject: String) -> Int? { left.first { $0.subject == subject }?.count }
        #expect(count("conversations") == 2)
        #expect(count("chat_sessions") == 2)
        #expect(count("chat_sessions.mood") == 1)

        let store = stage.store
        #expect(try await store.sessions.delete("s1"))
        let added = try #require(try await store.messages.add(to: "s2", role: "user", content: "new"))
        var change = SessionChange()
        change.title = "renamed"
        _ = try await store.sessions.save("s2", change)
        _ = try await store.sessions.save("fresh", change)
        #expect(try await store.memories.delete(2))
        var edit = MemoryUpdate()
        edit.content = "edited"
        _ = try await store.memories.update(3, edit)
        let memory = try await store.memories.create(NewMemory(content: "fresh", type: "fact"))

        let back = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(back.isEqual, "\(back.differentConversations)")
        // A deleted session is one row with its messages: three sessions, a message, three memories with two changes.
        #expect(back.writtenConversations == 9)
        #expect(try await stage.database.sessions.find("s1") == nil)
        #expect(try await stage.database.sessions.find("s2")?.title == "renamed")
        #expect(try await stage.database.messages.page(of: "s2", limit: 9)?.items.last?.id == added.id)
        #expect(
            try await stage.database.memories.find(ids: [2, 3, memory.id]).map(\.content).sorted() == [
                "edited", "fresh",
            ])
        let after = try MoveStage.conversations(of: stage.path)
        for (table, ids) in [
            ("chat_sessions", ["'s1'", "'s2'", "'fresh'"]), ("conversations", ["'s1'", "'s2'"]),
            ("conversation_memories", ["integer2 ", "integer3 ", "'fresh'"]),
        ] {
            func others(_ rows: [String]?) -> [String]? { rows?.filter { row in !ids.contains { row.contains($0) } } }
            #expect(others(after[table]) == others(before[table]), "\(table)")
        }
    }

    @Test(.slow) func `a session in use is moved without loss, and new ids are free`() async throws {
        let stage = try await MoveStage(notes: 1)
        try fillFast(stage, sessions: 3, messages: 400)
        let isDone = Locked(false)
        let writing = Task {
            var number = 0
            while !isDone.value {
                number += 1
                _ = try await stage.database.messages.add(to: "s\(number % 3)", role: "user", content: "late \(number)")
                if number % 5 == 0 { try stage.execute("DELETE FROM conversations WHERE id = \(number)") }
                _ = try await stage.database.memories.touch([1])
                try await Task.sleep(for: .milliseconds(2))
            }
            return number
        }
        _ = try await stage.migration().run()
        isDone.change { $0 = true }
        #expect(try await writing.value > 0)
        let last = try await stage.migration().run()
        #expect(last.isEqual, "\(last.differentConversations)")
        #expect(try await stage.file.conversations.counts() == stage.server.conversations.counts())
        #expect(try await stage.migration().verify().isEqual)
        let highest = try await stage.file.conversations.highest()
        let message = try #require(try await stage.store.messages.add(to: "s0", role: "user", content: "new"))
        #expect(message.id > highest.message)
        #expect(try await stage.store.memories.create(NewMemory(content: "x", type: "fact")).id > highest.memory)
    }

    @Test(.slow) func `a memory that no longer holds moves, too, and its number is not used again`() async throws {
        let stage = try await MoveStage(notes: 1)
        try await fill(stage.database)
        try stage.execute(
            """
            INSERT INTO gateway_memory_details (memory_id, keyed, state)
            SELECT id, content, 'superseded' FROM conversation_memories WHERE id = 5;
            INSERT INTO gateway_memory_cursor (id, number) VALUES (1, 7);
            """)
        let there = try await stage.migration().run()
        #expect(there.isEqual && there.memories == 5)
        #expect(try await stage.store.memories.find(ids: [5]).isEmpty)
        #expect(try await stage.store.memories.history(5)?.memory.details?.state == .superseded)
        // Answers that were read for memories are not read again.
        let cursor = try await stage.store.rows("SELECT number FROM gateway_memory_cursor", [])
        #expect(cursor.map { $0.integer(0) } == [7])
        #expect(try await !stage.file.leftBehind().contains { $0.subject.contains("memor") })
        #expect(try await stage.store.memories.create(NewMemory(content: "x", type: "fact")).id == 6)
        let back = try await StoreMigration(from: stage.server, to: stage.file).run()
        #expect(back.isEqual && back.memories == 6)
        #expect(try MoveStage.conversations(of: stage.path)["conversation_memories"]?.count == 6)
    }

    @Test(.slow) func `sessions of the target that were not moved there are not deleted`() async throws {
        let stage = try await MoveStage(notes: 1)
        try await fill(stage.store, sessions: 1)
        await #expect { try await stage.migration().run() } throws: {
            ($0 as? MigrationRefusal)?.code == .targetNotEmpty
        }
        #expect(try await stage.store.sessions.find("s0") != nil)
        #expect(try await stage.migration(.init(overwrites: true)).run().isEqual)
        #expect(
            try await stage.server.conversations.counts() == ConversationCounts(sessions: 0, messages: 0, memories: 0))
        // After the switch, another run would undo what was said since.
        try await fill(stage.store, sessions: 2)
        await #expect { try await stage.migration().run() } throws: {
            ($0 as? MigrationRefusal)?.code == .targetChanged
        }
        let difference = try await stage.migration().verify()
        // Of a session that the source lacks its messages are not counted.
        #expect(difference.differences == 4)
        #expect(difference.differentConversations.contains("session s1"))
    }

    @Test func `a migration of a version that left sessions where they were deletes none`() async throws {
        let stage = try await MoveStage(notes: 1)
        #expect(try await stage.migration().run().isEqual)
        try await fill(stage.database, sessions: 1)
        try await fill(stage.store, sessions: 2)
        var state = try #require(try await stage.server.transferState())
        (state.movesConversations, state.ownConversations) = (nil, nil)
        try await stage.server.begin(state)
        for migration in [stage.migration(), StoreMigration(from: stage.server, to: stage.file)] {
            await #expect { try await migration.run() } throws: {
                ($0 as? MigrationRefusal)?.code == .targetNotEmpty
            }
        }
        #expect(try await stage.file.conversations.counts().sessions == 1)
        #expect(try await stage.server.conversations.counts().sessions == 2)
    }

    @Test(.slow) func `a stopped migration does not write again what it has written`() async throws {
        let stage = try await MoveStage(notes: 1)
        try fillFast(stage, sessions: 300, messages: 1)
        let task = Task {
            try await stage.migration { progress in
                if progress.step == .sessions { withUnsafeCurrentTask { $0?.cancel() } }
            }.run()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let written = try await stage.server.conversations.counts()
        #expect(written.sessions == 256)
        let rest = try await stage.migration().run()
        #expect(rest.isEqual)
        #expect(rest.writtenConversations == 900 - written.sessions - written.messages)
    }
}
