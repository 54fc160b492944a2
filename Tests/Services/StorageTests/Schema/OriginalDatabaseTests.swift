import ChatRoom
import PushRoom
import AssociationRoom
import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import TaskRoom
import Testing

@testable import Storage

/// A file whose columns have the other names that occur.
@Suite struct OriginalDatabases {
    func make() throws -> TemporaryDatabase {
        let temporary = try TemporaryDatabase()
        let url = try #require(
            Bundle.module.url(forResource: "original", withExtension: "sql", subdirectory: "Fixtures"))
        let queue = try DatabaseQueue(path: temporary.path)
        let sql = try String(contentsOf: url, encoding: .utf8)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
        return temporary
    }

    /// Every definition and row that is not ours.
    func theirs(_ temporary: TemporaryDatabase) throws -> [String] {
        try DatabaseQueue(path: temporary.path).read { database in
            let tables = try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'gateway%'
                    AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%' AND name NOT IN ('device_tokens', 'actions',
                    'goals', 'personal_values', 'terms', 'term_goal_assignments') ORDER BY name
                    """)
            return try tables.flatMap { table in
                try Row.fetchAll(
                    database, sql: "SELECT name, sql FROM sqlite_master WHERE tbl_name = ? AND type <> 'trigger'",
                    arguments: [table]
                ).map(\.description)
                    + Row.fetchAll(database, sql: "SELECT * FROM \(table) ORDER BY rowid").map(\.description)
            }
        }
    }

    @Test func `opens unchanged, and everything in it is read`() async throws {
        let temporary = try make()
        let before = try theirs(temporary)
        let database = try temporary.open()
        let notes = try await database.notes.page(limit: 10).items
        #expect(notes.map(\.id) == [2, 3, 1, 5, 4])
        #expect(notes[3].createdAt == "2025-01-01 00:00:00")
        #expect(notes[3].content == "ab")
        #expect(notes[2].threads.map(\.name) == ["Spring tides"])
        #expect(notes[2].concepts == ["tide"])
        #expect(notes[2].secondaryThemes == ["sea", "sky"])
        #expect(notes[2].sentimentScore == 0.5)
        let threads = try await database.threads.active(limit: 10).items
        #expect(threads.map(\.id) == [1, 2])
        #expect(threads.map(\.noteCount) == [2, 1])
        #expect(threads[0].why == "the harbour")
        #expect(try await database.threads.find(named: "star gazing")?.id == 2)
        #expect(try await database.tasks.page(ofThread: 1, limit: 9).items.map(\.thingsTaskID) == ["T-2", "T-1"])
        #expect(try await database.sessions.page(limit: 9).items.map(\.id) == ["s-2", "s-1"])
        let session = try #require(try await database.sessions.find("s-1"))
        #expect(session.isPinned && session.messageCount == 2)
        #expect(session.messagesJSON?.hasPrefix("[") == true)
        #expect(try await database.messages.page(of: "s-1", limit: 9)?.items.map(\.content) == ["hello", "hi"])
        #expect(try await database.messages.page(of: "orphan", limit: 9)?.items.count == 1)
        #expect(try await database.messages.page(of: "none", limit: 9) == nil)
        #expect(try await database.messages.recent(limit: 9).items.map(\.content) == ["alone", "hi", "hello"])
        let memories = try await database.memories.page(embeddings: true, limit: 9).items
        #expect(memories.map(\.content) == ["lives by the sea", "likes tea"])
        #expect(memories.map(\.type) == ["fact", "preference"])
        #expect(memories[1].vector == [0.5, -1, 0.002])
        let pairs = try await database.associations.page(minSimilarity: 0.5, since: nil, limit: 9).items
        #expect(pairs.map(\.similarity) == [0.9, 0.8])
        try database.close()
        #expect(try theirs(temporary) == before)
        #expect(before.count > 40)
    }

    @Test func `the other program goes on writing, and its changes are seen`() async throws {
        let temporary = try make()
        let database = try temporary.open()
        let cursor = try await database.changes.readAll(in: nil) { _ in }
        let other = try DatabaseQueue(path: temporary.path)
        try await other.write { database in
            try database.execute(sql: "INSERT INTO processed_notes (raw_note_id, concepts) VALUES (2, '[]')")
            try database.execute(sql: "UPDATE processed_notes SET concepts = '[\"x\"]' WHERE raw_note_id = 1")
            try database.execute(sql: "INSERT INTO thread_notes (thread_id, raw_note_id) VALUES (2, 4)")
            try database.execute(sql: "DELETE FROM thread_notes WHERE raw_note_id = 3")
        }
        let changed = try await database.changes.since(cursor, in: nil).notes.compactMap { note in
            if case .present(let note) = note { note } else { nil }
        }
        #expect(changed.map(\.id).sorted() == [1, 2, 3, 4])
        #expect(changed.first { $0.id == 4 }?.threads == [2])
    }

    @Test func `what is written has the form that the file has`() async throws {
        let temporary = try make()
        let database = try temporary.open()
        let session = try await database.sessions.save("s-3", change { $0.title = "Third" })
        #expect(session.updatedAt?.contains(" ") == true)
        let message = try await database.messages.add(to: "s-3", role: "user", content: "x")
        #expect(message?.createdAt?.contains(" ") == true)
        let memory = try await database.memories.create(
            NewMemory(content: "walks", type: "pattern", embedding: [1, 2]))
        let stored = try await database.read {
            let row = try Row.fetchOne($0, sql: "SELECT * FROM conversation_memories WHERE id = 3")
            return [row?.text("memory_type"), row?.text("embedding")]
        }
        #expect(stored == ["pattern", "[1.0,2.0]"])
        let memories = try await database.memories.page(embeddings: true, limit: 9).items
        #expect(memories.first { $0.id == memory.id }?.vector == [1, 2])
        #expect(try await database.memories.touch([1, 3, 99]) == 2)
        guard
            case .created(let id) = try await database.notes.create(
                NoteDraft(title: "t", content: "c", noteType: "idea", threads: ["Spring tides", "Fresh"]))
        else {
            Issue.record("it was a duplicate")
            return
        }
        let note = try #require(try await database.notes.find(ids: [id]).first)
        #expect(note.threads.map(\.name) == ["Fresh", "Spring tides"])
        #expect(try await database.notes.create(NoteDraft(title: "Oldest", content: "a tide")) == .duplicate(1))
    }

    @Test func `a deletion takes along what refers to the note, as the tables want it`() async throws {
        let temporary = try make()
        let database = try temporary.open()
        #expect(try await database.notes.delete(1))
        #expect(try await !database.notes.delete(1))
        #expect(try await !database.notes.delete(6), "a note of a test run is not there")
        try await database.read { database in
            for table in ["processed_notes", "thread_notes", "mood_history"] {
                let left = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table) WHERE raw_note_id = 1")
                #expect(left == 0, "\(table)")
            }
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM mood_history") == 1)
            #expect(
                try Int.fetchOne(database, sql: "SELECT count(*) FROM thread_history WHERE trigger_note_id IS NULL")
                    == 1)
            #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM note_associations") == 2)
        }
    }

    @Test func `whatever another program left in a column, reading goes on`() async throws {
        let temporary = try make()
        let database = try temporary.open()
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        let other = try DatabaseQueue(path: temporary.path, configuration: configuration)
        try await other.write { database in
            try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
            let tables = [
                "raw_notes", "processed_notes", "threads", "thread_notes", "thread_tasks", "note_associations",
                "chat_sessions", "conversations", "conversation_memories", "device_tokens",
            ]
            var plain = ["id": "NULL", "test_run": "NULL", "content_hash": "hex(randomblob(8))"]
            let values = ["NULL", "1", "-9223372036854775808", "9e999", "'text'", "''", "x'00ff'", "0.5", "'[1'"]
            for table in tables {
                let columns = try database.columns(in: table).map(\.name)
                plain["id"] = table == "chat_sessions" ? "hex(randomblob(8))" : "NULL"
                for value in values {
                    for odd in columns where odd != "id" || table == "chat_sessions" {
                        // The odd value in one column, and something plain in the others.
                        let row = columns.map { $0 == odd ? value : plain[$0] ?? "abs(random() % 5)" }
                        try database.execute(
                            sql: "INSERT OR IGNORE INTO \(table) VALUES (\(row.joined(separator: ", ")))")
                    }
                }
            }
        }
        _ = try await database.changes.readAll(in: nil) { _ in }
        let notes = try await database.notes.page(limit: 500).items
        #expect(notes.count > 50)
        for text in ["a", "ä"] { _ = try await database.notes.page(NoteSelection(text: text, since: 0), limit: 500) }
        #expect(try await database.threads.active(limit: 500).items.count >= 2)
        _ = try await database.threads.find(named: "text")
        for thread in 0..<5 as Range<Int64> {
            _ = try await database.tasks.page(ofThread: thread, limit: 500)
            _ = try await database.notes.page(NoteSelection(thread: thread), limit: 500)
        }
        #expect(try await database.sessions.page(limit: 500).items.count > 10)
        #expect(try await database.messages.recent(limit: 500).items.count > 10)
        #expect(try await database.memories.page(embeddings: true, limit: 500).items.count > 10)
        _ = try await database.associations.page(minSimilarity: -1, since: 0, limit: 500)
        _ = try await database.push.devices.tokens()
        _ = try await database.notes.threadAssignments(of: notes.map(\.id))
        #expect(try await database.notes.delete(notes[0].id))
    }

    private func change(_ body: (inout SessionChange) -> Void) -> SessionChange {
        var change = SessionChange()
        body(&change)
        return change
    }
}
