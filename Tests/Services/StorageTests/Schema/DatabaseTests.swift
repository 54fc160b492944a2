import Foundation
import GRDB
import GatewayAPI
import Machine
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage

@Suite struct Databases {
    let space = EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "q: ", documentPrefix: "d: ")

    func drafts(_ range: Range<Int>) -> [NoteDraft] {
        range.map { NoteDraft(title: "title \($0)", content: "content \($0)", externalID: "id-\($0)") }
    }

    func present(_ notes: [IndexedNote]) -> [Int64] {
        notes.compactMap { if case .present(let note) = $0 { note.id } else { nil } }
    }

    @Test func `storing again updates what changed and leaves the rest`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        #expect(try await database.notes.insert(drafts(0..<50)).inserted == 50)
        var again = drafts(0..<60)
        again[3].content = "edited"
        again[4].noteType = "task"
        let outcome = try await database.notes.insert(again)
        #expect((outcome.inserted, outcome.updated, outcome.unchanged) == (10, 2, 48))
        #expect(try await database.notes.find(ids: [4]).first?.content == "edited")
        #expect(try await database.notes.find(ids: [5]).first?.noteType == "task")
        let anonymous = NoteDraft(title: "a", content: "b")
        #expect(try await database.notes.insert([anonymous, anonymous]).unchanged == 1)
    }

    @Test func `pending notes are those without a vector, and those that anyone edited since`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert(drafts(0..<5))
        let stored = try await database.spaces.ensure(space)
        #expect(try await database.spaces.ensure(space) == stored)
        let worker = WorkerName()
        func pending() async throws -> [PendingNote] {
            try await database.queue.reconcile(for: stored.id)
            return try await database.queue.claim(in: stored.id, as: worker, limit: 10, lease: .seconds(60)).items
                .map(\.note)
        }
        let first = try await pending()
        #expect(first.map(\.text).last == "title 0\ncontent 0")
        try await database.queue.complete(
            first.map { EmbeddingRow(noteID: $0.id, contentHash: $0.contentHash, vector: [1, 2]) }, in: stored,
            as: worker)
        #expect(try await database.queue.pendingSize(in: stored.id, filter: QueueFilter(), limit: nil).notes == 0)

        let other = try DatabaseQueue(path: temporary.path)
        try await other.write { try $0.execute(sql: "UPDATE raw_notes SET content = 'new' WHERE id = 3") }
        #expect(try await pending().map(\.id) == [3])

        var another = space
        another.digest = "other weights"
        let second = try await database.spaces.ensure(another)
        #expect(second.id != stored.id)
        #expect(try await database.queue.pendingSize(in: second.id, filter: QueueFilter(), limit: nil).notes == 5)
    }

    @Test func `vectors keep every bit, and go with their note`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert(drafts(0..<2))
        let stored = try await database.spaces.ensure(space)
        let vector: [Float] = [.leastNonzeroMagnitude, -.pi]
        let row = EmbeddingRow(noteID: 1, contentHash: [1], vector: vector)
        try await database.queue.complete(
            [row, EmbeddingRow(noteID: 99, contentHash: [], vector: [0, 1])], in: stored, as: WorkerName())
        #expect(try await database.spaces.embeddingCount(in: stored.id) == 1)
        let read = FeedReader()
        _ = try await database.changes.readAll(in: stored) { read.add($0) }
        #expect(read.notes.map(\.id) == [1, 2])
        #expect(read.notes.map(\.vectors) == [vector, []])
        #expect(read.notes.map(\.passages) == [1, 0])
        await #expect(throws: StorageError.self) {
            try await database.queue.complete(
                [EmbeddingRow(noteID: 1, contentHash: [], vector: [1])], in: stored, as: WorkerName())
        }
        let other = try DatabaseQueue(path: temporary.path)
        try await other.write { try $0.execute(sql: "DELETE FROM raw_notes WHERE id = 1") }
        #expect(try await database.spaces.embeddingCount(in: stored.id) == 0)
    }

    @Test func `changes by any process are read as a delta`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert(drafts(0..<10))
        let stored = try await database.spaces.ensure(space)
        let cursor = try await database.changes.readAll(in: stored) { _ in }
        #expect(try await database.changes.changeState().cursor == cursor)
        #expect(try await database.changes.since(cursor, in: stored).notes.isEmpty)

        let other = try DatabaseQueue(path: temporary.path)
        try await other.write { database in
            try database.execute(sql: "UPDATE raw_notes SET title = 'x' WHERE id IN (2, 3)")
            try database.execute(sql: "UPDATE raw_notes SET title = 'y' WHERE id = 2")
            try database.execute(sql: "DELETE FROM raw_notes WHERE id = 5")
            try database.execute(sql: "INSERT INTO processed_notes (note_id, note_type) VALUES (7, 'idea')")
            try database.execute(sql: "UPDATE raw_notes SET test_run = 'r' WHERE id = 9")
        }
        let batch = try await database.changes.since(cursor, in: stored)
        #expect(present(batch.notes).sorted() == [2, 3, 7])
        let removed = batch.notes.compactMap { if case .removed(let id) = $0 { id } else { nil } }
        #expect(removed.sorted() == [5, 9])
        #expect(try await database.changes.changeState().cursor == batch.cursor)

        // In small steps, nothing is lost and the end is reached.
        var position = cursor
        var seen: Set<Int64> = []
        while position < batch.cursor {
            let step = try await database.changes.since(position, in: stored, limit: 1)
            seen.formUnion(present(step.notes))
            position = step.cursor
        }
        #expect(seen == [2, 3, 7])
    }

    @Test func `a reader that the log no longer reaches is told to read everything`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert(drafts(0..<3))
        let cursor = try await database.changes.readAll(in: nil) { _ in }
        let other = try DatabaseQueue(path: temporary.path)
        try await other.write { try $0.execute(sql: "UPDATE raw_notes SET title = title || 'x'") }
        try await other.write {
            try $0.execute(sql: "DELETE FROM gateway_changes WHERE seq <= ?", arguments: [cursor.sequence + 1])
        }
        #expect(try await database.changes.since(cursor, in: nil).needsReload)
        #expect(try await database.changes.since(ChangeCursor(sequence: 1_000_000), in: nil).needsReload)
    }

    @Test func `a full disk is said to be full and nothing is half written`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert(drafts(0..<3))
        try await database.pool.write { connection in
            let pages = try Int.fetchOne(connection, sql: "PRAGMA page_count") ?? 0
            try connection.execute(sql: "PRAGMA max_page_count = \(pages + 1)")
        }
        do {
            _ = try await database.notes.insert(
                [NoteDraft(title: "big", content: String(repeating: "x", count: 1 << 20))] + drafts(3..<5))
            Issue.record("it was stored")
        } catch let error as StorageError {
            #expect(error.code == .diskFull)
        }
        #expect(try await database.notes.count() == 3)
    }

    @Test func `paths that cannot be a database are refused with the reason`() throws {
        let temporary = try TemporaryDatabase()
        try Data("this is no database, but long enough to look like a file".utf8).write(
            to: URL(filePath: temporary.path))
        #expect(throws: StorageError.self) { try temporary.open() }
        do {
            _ = try GatewayDatabase(path: temporary.folder.path)
            Issue.record("a folder was opened")
        } catch {
            #expect(error.code == .cannotOpen)
            #expect(error.message.contains("folder"))
        }
        #expect(throws: StorageError.self) { try GatewayDatabase(path: "/dev/null/x/y.sqlite") }
    }

    @Test(.slow) func `two openings of a new file at once both succeed`() async throws {
        for _ in 0..<10 {
            let temporary = try TemporaryDatabase()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let database = try temporary.open()
                        _ = try await database.notes.insert([NoteDraft(title: "\(number)", content: "c")])
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await temporary.open().notes.count() == 4)
        }
    }
}

@Suite struct Timestamps {
    @Test(
        arguments: [
            ("1970-01-01", 0), ("1970-01-01 00:00:00", 0), ("2026-01-02 03:04:05", 1_767_323_045),
            ("2026-01-02T03:04:05Z", 1_767_323_045), ("2026-01-02T03:04:05.999Z", 1_767_323_045),
            ("2026-01-02T05:04:05+02:00", 1_767_323_045), ("2026-01-01T22:04:05-0500", 1_767_323_045),
            ("2024-02-29T12:00", 1_709_208_000), ("1969-12-31T23:59:59Z", -1), ("2000-03-01", 951_868_800),
        ] as [(String, Int64)])
    func `are read in every form that occurs`(text: String, seconds: Int64) {
        #expect(Timestamp.unixSeconds(text) == seconds)
    }

    @Test(arguments: [
        "", "yesterday", "2026-13-01", "2026-02-30", "2026-1-1", "2026-01-02 25:00:00", "2026-01-02X",
        "2026-01-02T03:04:05+2",
    ])
    func `are refused when they are none`(text: String) {
        #expect(Timestamp.unixSeconds(text) == nil)
    }

    @Test func `are written as the database writes them`() {
        #expect(Timestamp.text(1_767_323_045) == "2026-01-02 03:04:05")
        for seconds in stride(from: Int64(-1_000_000_000), to: 4_000_000_000, by: 77_777_777) {
            #expect(Timestamp.unixSeconds(Timestamp.text(seconds)) == seconds)
        }
    }
}
