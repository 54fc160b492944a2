import Foundation
import GatewayAPI
import Machine
import Storage
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import PostgresStorage

/// What an index reads of the notes of a server, and in which order it learns of changes.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct NoteLogTests {
    /// The notes that an index has, from whichever thread.
    private final class Held: Sendable {
        private let notes = Mutex<[Int64: FeedNote]>([:])

        func take(_ batch: [IndexedNote]) {
            notes.withLock { notes in
                for note in batch {
                    switch note {
                    case .present(let note): notes[note.id] = note
                    case .removed(let id): notes[id] = nil
                    }
                }
            }
        }

        var all: [Int64: FeedNote] { notes.withLock { $0 } }
        var ids: [Int64] { all.keys.sorted() }
    }

    private static func draft(_ number: Int64, _ content: String? = nil) -> NoteDraft {
        NoteDraft(title: "n\(number)", content: content ?? "text \(number)", createdAt: number, externalID: "\(number)")
    }

    /// Follows the log to its end.
    private func follow(
        _ store: PostgresStore, _ cursor: ChangeCursor, _ space: StoredSpace? = nil, limit: Int = 5000, into held: Held
    ) async throws -> ChangeCursor {
        var cursor = cursor
        while true {
            let batch = try await store.changes.since(cursor, in: space, limit: limit)
            #expect(!batch.needsReload)
            held.take(batch.notes)
            cursor = batch.cursor
            guard batch.hasMore else { return cursor }
        }
    }

    @Test func `every note is read with its vectors, threads and tags`() async throws {
        let stage = try await PostgresStage()
        let space = try await stage.space(2)
        let long = String(repeating: "tide ", count: 1_800_000)
        _ = try await stage.store.notes.insert([
            NoteDraft(
                title: "one", content: "first", createdAt: 5, noteType: "idea", threads: ["B", "A"], tags: ["red"],
                externalID: "1"),
            Self.draft(2, long), Self.draft(3, long), Self.draft(4),
        ])
        let rows = try await stage.store.rows("SELECT id FROM notes ORDER BY id")
        let ids = rows.indices.compactMap { rows.integer($0, 0) }
        try #require(ids.count == 4)
        try await stage.embed([ids[0]: [1, 0], ids[3]: [0, 1]], in: space)
        let held = Held()
        let sizes = Locked<[Int]>([])
        let cursor = try await stage.store.changes.readAll(in: space) { batch in
            held.take(batch)
            sizes.change { $0.append(batch.count) }
        }
        #expect(held.ids == ids)
        #expect(try await stage.store.changes.changeState().activeSpace == space)
        // Two long notes are not read at once.
        #expect(sizes.value.count > 1)
        let first = try #require(held.all[ids[0]])
        #expect(first.title == "one" && first.content == "first" && first.noteType == "idea" && first.createdAt == 5)
        #expect(first.threads == first.threads.sorted() && first.threads.count == 2 && first.tags == ["red"])
        #expect(first.vectors == [1, 0] && first.passages == 1)
        #expect(held.all[ids[1]]?.content == long && held.all[ids[1]]?.passages == 0)
        #expect(try await stage.store.changes.since(cursor, in: space).notes.isEmpty)
        #expect(try await stage.store.changes.hasNotes(atLeast: 4))
        #expect(try await !stage.store.changes.hasNotes(atLeast: 5))
        #expect(try await stage.store.changes.read(after: .max, limit: 5, in: nil) { _ in } == nil)
        let newest = Held()
        newest.take(try await stage.store.changes.newestNotes(from: ids[2], and: [ids[0], 999], in: nil))
        #expect(newest.ids == [ids[0], ids[2], ids[3]])
        #expect(newest.all[ids[0]]?.passages == 0)
    }

    /// A transaction that began early may end late.
    @Test func `changes are known at once, in whichever order transactions end`() async throws {
        let stage = try await PostgresStage()
        let store = stage.store
        _ = try await store.notes.insert((1...3).map { Self.draft($0) })
        let held = Held()
        var cursor = try await store.changes.readAll(in: nil) { held.take($0) }
        #expect(held.ids.count == 3)
        let ids = held.ids
        let (begun, end) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        let slow = Task {
            try await store.write { connection in
                try await connection.run("UPDATE notes SET title = 'slow' WHERE id = $1", [.integer(ids[0])])
                begun.continuation.finish()
                for await _ in end.stream {}
            }
        }
        for await _ in begun.stream {}
        try await store.write { try await $0.run("UPDATE notes SET title = 'quick' WHERE id = $1", [.integer(ids[1])]) }
        cursor = try await follow(store, cursor, into: held)
        #expect(held.all[ids[0]]?.title == "n1" && held.all[ids[1]]?.title == "quick")
        try await store.write { try await $0.run("DELETE FROM notes WHERE id = $1", [.integer(ids[2])]) }
        cursor = try await follow(store, cursor, into: held)
        #expect(held.ids == Array(ids[0...1]))
        end.continuation.finish()
        try await slow.value
        cursor = try await follow(store, cursor, into: held)
        #expect(held.all[ids[0]]?.title == "slow")
        #expect(try await store.changes.since(cursor, in: nil).notes.isEmpty)
        #expect(try await store.changes.changeState().cursor == cursor)
    }

    @Test func `many changes come in parts, and none is lost between them`() async throws {
        let stage = try await PostgresStage()
        let store = stage.store
        let held = Held()
        let start = try await store.changes.readAll(in: nil) { held.take($0) }
        _ = try await store.notes.insert((1...10).map { Self.draft($0) })
        var batch = try await store.changes.since(start, in: nil, limit: 4)
        #expect(batch.hasMore)
        held.take(batch.notes)
        // Changes of notes that were read, and of others, between two parts.
        let first = try #require(held.ids.first)
        try await store.write { try await $0.run("UPDATE notes SET title = 'later' WHERE id = $1", [.integer(first)]) }
        _ = try await store.notes.insert([Self.draft(11)])
        // A start from a stored number begins anew.
        let stored = try await follow(store, ChangeCursor(position: batch.cursor.position), into: Held())
        #expect(stored.transactions?.read == nil)
        while batch.hasMore {
            batch = try await store.changes.since(batch.cursor, in: nil, limit: 4)
            held.take(batch.notes)
        }
        _ = try await follow(store, batch.cursor, into: held)
        #expect(held.ids.count == 11 && held.all[first]?.title == "later")
    }

    @Test func `random changes by several writers are followed`() async throws {
        let stage = try await PostgresStage()
        let store = stage.store
        _ = try await store.notes.insert((1...40).map { Self.draft($0) })
        let held = Held()
        let start = try await store.changes.readAll(in: nil) { held.take($0) }
        let ids = held.ids
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(UInt64(writer))
                    for round in 0..<25 {
                        let id = ids[Int.random(in: 0..<ids.count, using: &random)]
                        let isRemoved = Int.random(in: 0..<12, using: &random) == 0
                        try await store.write { connection in
                            if isRemoved {
                                try await connection.run("DELETE FROM notes WHERE id = $1", [.integer(id)])
                            } else {
                                try await connection.run(
                                    "UPDATE notes SET title = $2 WHERE id = $1",
                                    [.integer(id), .text("\(writer) \(round)")])
                            }
                        }
                    }
                }
            }
            group.addTask {
                var own = start
                for _ in 0..<30 { own = try await follow(store, own, limit: 3, into: held) }
            }
            try await group.waitForAll()
        }
        _ = try await follow(store, start, limit: 7, into: held)
        let oracle = Held()
        _ = try await store.changes.readAll(in: nil) { oracle.take($0) }
        #expect(held.all == oracle.all)
    }

    @Test func `a log that was cut or belongs elsewhere is not followed`() async throws {
        let stage = try await PostgresStage()
        let store = stage.store
        _ = try await store.notes.insert((1...5).map { Self.draft($0) })
        let old = try await store.changes.changeState().cursor
        let name = try await store.changes.name(at: old)
        #expect(try await store.changes.name(at: old) == name)
        _ = try await store.notes.insert((6...9).map { Self.draft($0) })
        #expect(try await store.changes.name(at: old) == name, "later changes do not count")
        let now = try await store.changes.changeState().cursor
        #expect(try await store.changes.name(at: now) != name)
        try await store.maintain(keeping: 2)
        let cut = try await store.changes.since(old, in: nil)
        #expect(cut.needsReload && cut.notes.isEmpty)
        #expect(try await !store.changes.since(cut.cursor, in: nil).needsReload)
        #expect(try await !store.changes.since(now, in: nil).needsReload)
        // The table was loaded anew, as by a restored copy.
        try await store.pool.lend { try await $0.script("VACUUM FULL changes") }
        #expect(try await store.changes.since(now, in: nil).needsReload)
        // A position of another server, ahead of this one.
        #expect(try await store.changes.since(ChangeCursor(position: .max), in: nil).needsReload)
    }
}
