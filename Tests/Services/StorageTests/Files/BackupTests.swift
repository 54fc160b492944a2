import Cryptography
import Dispatch
import Foundation
import GRDB
import KeyRoom
import Storage
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

/// Backups and restores, below the command line.
@Suite struct Backups {
    private let file: TemporaryDatabase

    init() throws { file = try TemporaryDatabase() }

    private var backup: String { file.folder.appending(path: "backup.sqlite").path }

    private func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: file.folder.path))
    }

    private func fill(_ database: GatewayDatabase, _ count: Int = 20, bytes: Int = 10) async throws {
        let text = String(repeating: "x", count: bytes)
        for start in stride(from: 0, to: count, by: 500) {
            let drafts = (start..<min(start + 500, count)).map {
                NoteDraft(title: "note \($0)", content: "\(text) \($0)")
            }
            _ = try await database.notes.insert(drafts)
        }
    }

    @Test func `a backup is one whole file with everything, the owner's alone`() async throws {
        let database = try file.open()
        try await fill(database)
        _ = try await database.keys.create(name: "phone")
        let done = try await DatabaseBackup(of: file.path, to: backup, books: nil).run()
        #expect(done.notes == 20)
        #expect(try names().filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
        let attributes = try FileManager.default.attributesOfItem(atPath: backup)
        #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.size] as? Int == done.bytes)
        var readOnly = Configuration()
        readOnly.readonly = true
        let copy = try DatabaseQueue(path: backup, configuration: readOnly)
        #expect(try await copy.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "delete")
        #expect(try await copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        #expect(try await copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM gateway_keys") } == 1)
        try copy.close()
        try database.close()
    }

    @Test(.slow) func `a backup shows one moment while others write, and is not started over by them`() async throws {
        let database = try file.open()
        try await fill(database, 3000, bytes: 8000)
        let steps = Mutex<[CopyProgress]>([])
        let writes = Mutex(0)
        let other = try DatabaseQueue(path: file.path)
        let backup = DatabaseBackup(of: file.path, to: backup, books: nil)
        // Between each two steps another program writes two rows in one transaction.
        let done = try await backup.run { progress in
            steps.withLock { $0.append(progress) }
            try? other.write { database in
                for half in ["left", "right"] {
                    try database.execute(
                        sql: "INSERT INTO raw_notes (title, content, created_at) VALUES (?, 'pair', '2026-01-01')",
                        arguments: [half])
                }
                writes.withLock { $0 += 1 }
            }
        }
        #expect(done.notes == 3000)
        let seen = steps.withLock { $0 }
        #expect(seen.count > 3 && writes.withLock { $0 } == seen.count)
        #expect(seen.map(\.done) == seen.map(\.done).sorted())
        #expect(seen.last.map { $0.done == $0.total } == true && Set(seen.map(\.total)).count == 1)
        try other.close()
        try database.close()
    }

    @Test(.slow) func `a backup that is cancelled leaves nothing`() async throws {
        let database = try file.open()
        try await fill(database, 2000, bytes: 8000)
        let before = try names()
        let backup = DatabaseBackup(of: file.path, to: backup, books: nil)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            try await backup.run { _ in
                start.finish()
                gate.wait()
                gate.signal()
            }
        }
        for await _ in started {}
        task.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try names() == before)
        try database.close()
    }

    @Test func `a backup that is cancelled while it copies a book leaves nothing`() async throws {
        let database = try file.open()
        try await fill(database)
        let (folder, text) = (file.path + ".books", String(repeating: "tide", count: 6 << 20))
        let (hash, bytes) = (RandomSecret.hash(text), Data(text.utf8))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let name = hash.map { String(format: "%02x", $0) }.joined()
        try bytes.write(to: URL(filePath: folder + "/" + name))
        let raw = try DatabaseQueue(path: file.path)
        try await raw.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_books (hash, state, title, file_bytes, added_at, updated_at)
                    VALUES (?, 'ready', 'Big', ?, 1, 1)
                    """, arguments: [hash, bytes.count])
        }
        try raw.close()
        let before = try names()
        let copy = DatabaseBackup(of: file.path, to: backup, books: folder)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            try await copy.run { progress in
                // Beyond the database: the book is being copied.
                guard progress.total > 20 << 20, progress.done > 4 << 20 else { return }
                start.finish()
                gate.wait()
                gate.signal()
            }
        }
        for await _ in started {}
        task.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try names() == before)
        // A book whose import failed may be imported again, so its file is part of a backup.
        let other = try DatabaseQueue(path: file.path)
        try await other.write { try $0.execute(sql: "UPDATE gateway_books SET state = 'failed'") }
        try other.close()
        let done = try await copy.run()
        #expect(done.books == 1 && done.missing.isEmpty && done.bytes > 24 << 20)
        try database.close()
    }

    @Test func `a backup never replaces a file unless it was told to, and never the database`() async throws {
        let database = try file.open()
        try await fill(database)
        try Data("mine".utf8).write(to: URL(filePath: backup))
        let refused = await #expect(throws: StorageError.self) {
            try await DatabaseBackup(of: file.path, to: backup, books: nil).run()
        }
        #expect(refused?.code == .conflict)
        #expect(try String(contentsOfFile: backup, encoding: .utf8) == "mine")
        #expect(try await DatabaseBackup(of: file.path, to: backup, replaces: true, books: nil).run().notes == 20)
        await #expect(throws: StorageError.self) {
            try await DatabaseBackup(of: file.path, to: file.path, replaces: true, books: nil).run()
        }
        let missing = await #expect(throws: StorageError.self) {
            try await DatabaseBackup(of: file.path + "-none", to: backup + "2", books: nil).run()
        }
        #expect(missing?.code == .notFound)
        #expect(try !names().contains("notes.sqlite-none"))
        try database.close()
    }

    @Test func `what was restored is what was backed up, under a new identity`() async throws {
        let database = try file.open()
        try await fill(database)
        let name = try await database.changes.name(at: ChangeCursor(position: 20))
        _ = try await DatabaseBackup(of: file.path, to: backup, books: nil).run()
        try await fill(database, 40)
        try database.close()
        let target = file.folder.appending(path: "new/notes.sqlite").path
        let done = try await DatabaseRestore(of: backup, to: target).run()
        #expect(done.notes == 20 && done.previous == nil)
        let restored = try GatewayDatabase(path: target)
        #expect(try await restored.notes.count() == 20)
        #expect(try await restored.changes.name(at: ChangeCursor(position: 20)) != name)
        try restored.close()
    }

    @Test func `a restore refuses a database that exists, and moves it aside when it may`() async throws {
        let database = try file.open()
        try await fill(database)
        _ = try await DatabaseBackup(of: file.path, to: backup, books: nil).run()
        try await fill(database, 40)
        try database.close()
        let refused = await #expect(throws: StorageError.self) {
            try await DatabaseRestore(of: backup, to: file.path).run()
        }
        #expect(refused?.code == .conflict)
        let done = try await DatabaseRestore(of: backup, to: file.path, replaces: true).run()
        let previous = try #require(done.previous)
        let (now, before) = (try file.open(), try GatewayDatabase(path: previous))
        #expect(try await now.notes.count() == 20)
        #expect(try await before.notes.count() == 40)
        try now.close()
        try before.close()
    }

    @Test func `a write-ahead log of a deleted database is not taken for the restored one's`() async throws {
        let database = try file.open()
        try await fill(database)
        _ = try await DatabaseBackup(of: file.path, to: backup, books: nil).run()
        try database.close()
        try FileManager.default.removeItem(atPath: file.path)
        try Data("stale".utf8).write(to: URL(filePath: file.path + "-wal"))
        await #expect(throws: StorageError.self) { try await DatabaseRestore(of: backup, to: file.path).run() }
        let done = try await DatabaseRestore(of: backup, to: file.path, replaces: true).run()
        let previous = try #require(done.previous)
        #expect(try String(contentsOfFile: previous + "-wal", encoding: .utf8) == "stale")
        let restored = try file.open()
        #expect(try await restored.notes.count() == 20)
        try restored.close()
    }

    @Test(.slow, arguments: ["text", "empty", "other", "newer", "damaged"])
    func `a backup that cannot be used is refused before anything is written`(kind: String) async throws {
        let database = try file.open()
        try await fill(database, 500, bytes: 2000)
        _ = try await DatabaseBackup(of: file.path, to: backup, books: nil).run()
        try database.close()
        let expected: StorageError.Code
        switch kind {
        case "text":
            try Data("not a database, but as long as a header".utf8).write(to: URL(filePath: backup))
            expected = .corrupt
        case "empty":
            try Data().write(to: URL(filePath: backup))
            expected = .corrupt
        case "other":
            try FileManager.default.removeItem(atPath: backup)
            let other = try DatabaseQueue(path: backup)
            try await other.write { try $0.execute(sql: "CREATE TABLE recipes (id INTEGER)") }
            try other.close()
            expected = .invalid
        case "newer":
            let newer = try DatabaseQueue(path: backup)
            try await newer.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('gateway-99')") }
            try newer.close()
            expected = .newerVersion
        default:
            let handle = try #require(FileHandle(forUpdatingAtPath: backup))
            try handle.seek(toOffset: 200_000)
            try handle.write(contentsOf: Data(repeating: 0xAB, count: 300_000))
            try handle.close()
            expected = .corrupt
        }
        let target = file.folder.appending(path: "target.sqlite").path
        let error = await #expect(throws: StorageError.self) { try await DatabaseRestore(of: backup, to: target).run() }
        #expect(error?.code == expected, "\(String(describing: error))")
        #expect(try names().filter { $0.hasPrefix("target") }.isEmpty)
    }
}
