import ChatRoom
import AssociationRoom
import Foundation
import GRDB
import GatewayAPI
import StoreTestSupport
import TaskRoom
import TestSupport
import Testing

@testable import Storage

/// Paging: every row that was there all the time comes exactly once, whatever is written meanwhile.
@Suite struct Paging {
    /// Reads a list to its end, with a write before each page.
    func readAll<Item: Sendable, Key: Hashable>(
        _ seed: Int, _ page: (PageCursor?, Int) async throws -> Page<Item>, key: (Item) -> Key,
        write: (Int) async throws -> Void
    ) async throws -> [Key] {
        var (keys, cursor, step) = ([Key](), PageCursor?.none, seed)
        repeat {
            let found = try await page(cursor, 1 + (step * 7) % 5)
            keys += found.items.map(key)
            cursor = found.next.flatMap { PageCursor(text: $0.text) }
            #expect((found.next == nil) == (cursor == nil))
            step += 1
            try await write(step)
        } while cursor != nil && step < seed + 1000
        #expect(Set(keys).count == keys.count, "a row came twice")
        return keys
    }

    /// Dates that collide, in both forms.
    func date(_ number: Int) -> String {
        let seconds = Int64(1_767_000_000 + (number * 37) % 11)
        return number.isMultiple(of: 2) ? Timestamp.text(seconds) : DateStyle.iso8601.text(seconds)
    }

    @Test(.slow, arguments: 0..<4) func `notes come once while others are added and deleted`(seed: Int) async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        for number in 0..<60 {
            try await database.write { [date = date(number)] in
                try $0.execute(
                    sql: "INSERT INTO raw_notes (title, content, created_at, test_run) VALUES (?, 'c', ?, ?)",
                    arguments: ["n\(number)", date, number % 9 == 4 ? "run" : nil])
            }
        }
        let stays = try await database.notes.page(limit: 500).items.map(\.id)
        #expect(stays.count == 53)
        let read = try await readAll(seed, { try await database.notes.page(after: $0, limit: $1) }, key: \.id) { step in
            try await database.write { [date = date(step * 3)] in
                try $0.execute(
                    sql: "INSERT INTO raw_notes (title, content, created_at) VALUES ('new', 'c', ?)", arguments: [date])
                if step.isMultiple(of: 2) {
                    try $0.execute(sql: "DELETE FROM raw_notes WHERE title = 'new' AND id % 3 = 0")
                }
            }
        }
        #expect(read.filter(Set(stays).contains) == stays)
    }

    @Test(.slow) func `a page of large notes ends early, and the rest follows`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        let large = String(repeating: "x", count: PageLimits.maxBytes / 3)
        for number in 0..<7 {
            _ = try await database.notes.create(NoteDraft(title: "\(number)", content: large + "\(number)"))
        }
        let first = try await database.notes.page(limit: 100)
        #expect(first.items.count == 2)
        let read = try await readAll(4, { try await database.notes.page(after: $0, limit: $1 + 5) }, key: \.id) { _ in }
        #expect(read == [7, 6, 5, 4, 3, 2, 1])
    }

    @Test(.slow, arguments: 0..<3) func `sessions, messages and memories come once while others are added`(seed: Int)
        async throws
    {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        try await database.write { [self] database in
            for number in 0..<40 {
                try database.execute(
                    sql: "INSERT INTO chat_sessions (id, title, updated_at) VALUES (?, 't', ?)",
                    arguments: ["s_\(number) ü", date(number)])
                try database.execute(
                    sql: "INSERT INTO conversations (session_id, role, content, created_at) VALUES ('a', 'user', ?, ?)",
                    arguments: ["\(number)", date(number)])
                try database.execute(
                    sql: "INSERT INTO conversation_memories (content, confidence, last_accessed_at) VALUES (?, ?, ?)",
                    arguments: [
                        "\(number)", number % 4 == 0 ? nil : Double(number % 5) / 7,
                        number % 3 == 0 ? nil : date(number),
                    ])
            }
        }
        let sessions = try await readAll(
            seed, { try await database.sessions.page(after: $0, limit: $1) }, key: \.id
        ) { step in
            try await database.write { [date = date(step)] in
                try $0.execute(
                    sql: "INSERT INTO chat_sessions (id, title, updated_at) VALUES (?, 'new', ?)",
                    arguments: ["new \(step)", date])
            }
        }
        #expect(sessions.filter { $0.hasPrefix("s_") }.count == 40)
        func addMessage(_ step: Int) async throws {
            try await database.write { [date = date(step)] in
                try $0.execute(
                    sql:
                        "INSERT INTO conversations (session_id, role, content, created_at) VALUES ('a', 'user', 'new', ?)",
                    arguments: [date])
            }
        }
        for newestFirst in [false, true] {
            let messages = try await readAll(
                seed,
                { cursor, limit in
                    newestFirst
                        ? try await database.messages.recent(after: cursor, limit: limit)
                        : try #require(try await database.messages.page(of: "a", after: cursor, limit: limit))
                }, key: \.id, write: addMessage)
            #expect(messages.filter { $0 <= 40 }.count == 40)
        }
        let newest = try await readAll(
            seed, { try #require(try await database.messages.newestPage(of: "a", after: $0, limit: $1)) }, key: \.id,
            write: addMessage)
        #expect(newest == newest.sorted(by: >) && newest.filter { $0 <= 40 }.count == 40)
        let memories = try await readAll(
            seed, { try await database.memories.page(after: $0, limit: $1) }, key: \.id
        ) { step in
            _ = try await database.memories.create(
                NewMemory(content: "new", type: "fact", confidence: Double(step % 7) / 7))
        }
        #expect(memories.filter { $0 <= 40 }.count == 40)
    }

    @Test(arguments: 0..<3) func `threads, tasks and pairs come once, each in its order`(seed: Int) async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert((0..<12).map { NoteDraft(title: "n\($0)", content: "c\($0)") })
        try await database.write { [self] database in
            for number in 0..<30 {
                try database.execute(
                    sql: "INSERT INTO threads (name, momentum_score, last_activity_at) VALUES (?, ?, ?)",
                    arguments: ["t\(number)", Double(number % 4) / 3, number % 3 == 0 ? nil : date(number)])
                try database.execute(
                    sql: "INSERT INTO thread_tasks (thread_id, created_at) VALUES (1, ?)", arguments: [date(number)])
            }
            for a in 1...12 {
                for b in 1...12 where (a + b) % 3 != 0 {
                    try database.execute(
                        sql: "INSERT INTO note_associations VALUES (?, ?, ?)",
                        arguments: [a, b, Double(min(a, b) * max(a, b) % 5) / 5])
                }
            }
        }
        let threads = try await readAll(
            seed, { try await database.threads.active(after: $0, limit: $1) }, key: \.name
        ) { step in
            try await database.write {
                try $0.execute(
                    sql: "INSERT INTO threads (name, momentum_score) VALUES (?, ?)", arguments: ["new \(step)", 0.4])
            }
        }
        #expect(threads.filter { $0.hasPrefix("t") }.count == 30)
        let tasks = try await readAll(
            seed, { try await database.tasks.page(ofThread: 1, after: $0, limit: $1) }, key: \.id
        ) { _ in }
        #expect(tasks.count == 30)
        let pairs = try await readAll(
            seed, { try await database.associations.page(minSimilarity: 0, since: nil, after: $0, limit: $1) },
            key: { [$0.noteAId, $0.noteBId] }
        ) { _ in }
        var expected: Set<[Int64]> = []
        for a in 1...12 { for b in 1...12 where a < b && (a + b) % 3 != 0 { expected.insert([Int64(a), Int64(b)]) } }
        #expect(Set(pairs) == expected)
    }

    @Test func `cursors of another list are refused`() async throws {
        let database = try TemporaryDatabase().open()
        await #expect(throws: StorageError.self) { try await database.notes.page(after: PageCursor(1), limit: 1) }
        await #expect(throws: StorageError.self) { try await database.sessions.page(after: PageCursor(1, 2), limit: 1) }
    }
}
