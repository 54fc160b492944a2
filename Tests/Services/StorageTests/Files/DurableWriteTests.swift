import ChatRoom
import PushRoom
import Dispatch
import Foundation
import GRDB
import GatewayAPI
import KeyRoom
import StoreTestSupport
import Synchronization
import Testing

@testable import Storage

/// Writes that a power cut must not undo, and how they share transactions.
@Suite struct DurableWrites {
    private let file: TemporaryDatabase
    private let database: GatewayDatabase

    init() throws {
        file = try TemporaryDatabase()
        database = try file.open()
    }

    private static func insert(_ title: String, _ database: Database) throws {
        try database.execute(
            sql: "INSERT INTO raw_notes (title, content, created_at) VALUES (?, 'x', '2026-01-01')", arguments: [title])
    }

    private func titles() async throws -> [String] {
        try await database.read { try String.fetchAll($0, sql: "SELECT title FROM raw_notes ORDER BY id") }
    }

    /// Starts writes while the writer is held, so that all of them are in one batch, and lets them go.
    private func together(
        _ bodies: [@Sendable (Database) throws -> Void], meanwhile: ([Task<Void, any Error>]) -> Void = { _ in }
    ) async throws -> [Result<Void, any Error>] {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let holder = Task { [database] in
            try await database.writeRelaxed { _ in
                enter.finish()
                gate.wait()
            }
        }
        for await _ in entered {}
        var tasks: [Task<Void, any Error>] = []
        for body in bodies {
            tasks.append(Task { [database] in try await database.write(body) })
            while database.durable.waiting < tasks.count { await Task.yield() }
        }
        meanwhile(tasks)
        gate.signal()
        try await holder.value
        var results: [Result<Void, any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
    }

    @Test func `durable writes run with synchronous FULL, relaxed ones with NORMAL`() async throws {
        let level: @Sendable (Database) throws -> Int? = { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        #expect(try await database.write(level) == 2)
        #expect(try await database.writeRelaxed(level) == 1)
        struct Refused: Error {}
        await #expect(throws: Refused.self) { try await database.write { _ in throw Refused() } }
        #expect(try await database.writeRelaxed(level) == 1)
    }

    @Test func `what the notes API writes is durable, what backfill writes need not be`() async throws {
        // A trigger asks for the level within each transaction.
        let seen = Mutex<[String: Int]>([:])
        try await database.writeRelaxed { database in
            database.add(
                function: DatabaseFunction("test_level", argumentCount: 2) { values in
                    let name = String.fromDatabaseValue(values[0]) ?? ""
                    seen.withLock { $0[name] = Int.fromDatabaseValue(values[1]) ?? -1 }
                    return nil
                })
            for table in [
                "raw_notes", "chat_sessions", "conversations", "conversation_memories", "device_tokens", "gateway_keys",
                "gateway_key_usage",
            ] {
                try database.execute(
                    sql: """
                        CREATE TEMP TRIGGER test_\(table) AFTER INSERT ON main.\(table) BEGIN
                        SELECT test_level('\(table)', (SELECT synchronous FROM pragma_synchronous)); END
                        """)
            }
        }
        _ = try await database.notes.create(NoteDraft(title: "a", content: "b"))
        var session = SessionChange()
        session.title = "s"
        _ = try await database.sessions.save("s", session)
        _ = try await database.messages.add(to: "s", role: "user", content: "hello")
        _ = try await database.memories.create(NewMemory(content: "m", type: "fact"))
        try await database.push.devices.register(token: "token", platform: nil)
        let key = try await database.keys.create(name: "k")
        let today = UTCDay(unixSeconds: 1_800_000_000)
        _ = try await database.keys.addUsage(
            [KeyDay(key: key.record.id, day: today): KeyUsage(requests: 1)], lastUsed: [:], sumsOf: today)
        #expect(
            seen.withLock { $0 } == [
                "raw_notes": 2, "chat_sessions": 2, "conversations": 2, "conversation_memories": 2, "device_tokens": 2,
                "gateway_keys": 2, "gateway_key_usage": 1,
            ])
    }

    @Test func `writes that come together share a transaction, and one that fails fails alone`() async throws {
        struct Refused: Error {}
        let other = try DatabaseQueue(path: file.path)
        let visible = Mutex<[Int]>([])
        let bodies = (0..<20).map { number -> @Sendable (Database) throws -> Void in
            { database in
                try Self.insert("note \(number)", database)
                let committed = try other.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM raw_notes") ?? -1 }
                visible.withLock { $0.append(committed) }
                if number % 7 == 3 { throw Refused() }
            }
        }
        let results = try await together(bodies)
        // Nobody else saw any of them before the last one had run.
        #expect(visible.withLock { $0 } == Array(repeating: 0, count: 20))
        for (number, result) in results.enumerated() {
            switch result {
            case .success: #expect(number % 7 != 3)
            case .failure(let error): #expect(number % 7 == 3 && error is Refused)
            }
        }
        #expect(try await titles() == (0..<20).filter { $0 % 7 != 3 }.map { "note \($0)" })
        try other.close()
    }

    @Test func `a write that ends the whole transaction takes no other one along`() async throws {
        let bodies = (0..<6).map { number -> @Sendable (Database) throws -> Void in
            { database in
                try Self.insert("note \(number)", database)
                // As SQLite does by itself when the disk is full: everything since BEGIN is undone.
                if number == 3 { try database.execute(sql: "INSERT OR ROLLBACK INTO gateway_meta SELECT 'k', NULL") }
            }
        }
        let results = try await together(bodies)
        for (number, result) in results.enumerated() {
            switch result {
            case .success: #expect(number != 3)
            case .failure(let error): #expect(number == 3 && (error as? StorageError)?.code == .conflict)
            }
        }
        #expect(try await titles() == [0, 1, 2, 4, 5].map { "note \($0)" })
    }

    @Test func `a write that is cancelled while it waits is not made`() async throws {
        let bodies = (0..<3).map { number -> @Sendable (Database) throws -> Void in
            { try Self.insert("note \(number)", $0) }
        }
        let results = try await together(bodies) { $0[1].cancel() }
        #expect(throws: CancellationError.self) { try results[1].get() }
        #expect(try await titles() == ["note 0", "note 2"])
        let cancelled = Task { [database] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await database.write { try Self.insert("never", $0) }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await titles() == ["note 0", "note 2"])
    }

    @Test func `more writes than a batch holds are all made, and relaxed ones get their turn`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<DurableWriter.maxBatch * 3 {
                group.addTask { [database] in try await database.write { try Self.insert("n\(number)", $0) } }
                if number % 50 == 0 {
                    group.addTask { [database] in try await database.writeRelaxed { try Self.insert("r\(number)", $0) }
                    }
                }
            }
            try await group.waitForAll()
        }
        let titles = try await titles()
        #expect(titles.count { $0.hasPrefix("n") } == DurableWriter.maxBatch * 3)
        #expect(titles.count { $0.hasPrefix("r") } == 16)
        #expect(database.durable.waiting == 0)
    }
}
