import Foundation
import GatewayAPI
import Machine
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStorage

/// Notes and the queue in PostgreSQL, as one or several gateways use them.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct PostgresStoreTests {
    @Test func `drafts are inserted, updated, left alone, as in the SQLite file`() async throws {
        let stage = try await PostgresStage()
        let drafts = [
            NoteDraft(
                title: "a", content: "1", createdAt: 1000, noteType: "idea", threads: ["T", ""], tags: ["x", "y\"{,"],
                externalID: "a"),
            NoteDraft(title: "b", content: "2\0nul"), NoteDraft(title: "b", content: "2\0nul"),
        ]
        var outcome = try await stage.store.notes.insert(drafts)
        #expect((outcome.inserted, outcome.updated, outcome.unchanged) == (2, 0, 1))
        outcome = try await stage.store.notes.insert(drafts)
        #expect((outcome.inserted, outcome.updated, outcome.unchanged) == (0, 0, 3))
        outcome = try await stage.store.notes.insert([
            NoteDraft(title: "a", content: "changed", threads: ["T", "U"], tags: [], externalID: "a")
        ])
        #expect((outcome.inserted, outcome.updated, outcome.unchanged) == (0, 1, 0))
        let rows = try await stage.store.rows("SELECT id FROM notes ORDER BY id")
        let ids = rows.indices.compactMap { rows.integer($0, 0) }
        let notes = try await stage.store.notes.find(ids: ids)
        let first = try #require(notes.first)
        #expect(first.content == "changed")
        #expect(first.noteType == "idea")
        #expect(first.createdAt == "1970-01-01 00:16:40")
        #expect(first.threads.map(\.name) == ["T", "U"])
        #expect(first.tags == [])
        #expect(notes.last?.content == "2\u{FFFD}nul")
        #expect(try await stage.store.threads.ids(matching: [" t "]) == [first.threads[0].id])
        #expect(try await stage.store.notes.count() == 2)
        #expect(try await stage.store.notes.find(ids: ids + [99]).count == 2)
    }

    @Test func `two gateways that store the same notes at once store each once`() async throws {
        let stage = try await PostgresStage()
        let stores = [stage.store, try PostgresStage.store(stage.uri), try PostgresStage.store(stage.uri)]
        let drafts = (0..<60).map {
            NoteDraft(title: "t\($0)", content: "word\($0) shared", externalID: $0 % 2 == 0 ? "\($0)" : nil)
        }
        let inserted = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask {
                    let mine = number == 0 ? drafts : drafts.reversed()
                    for start in stride(from: 0, to: 60, by: 20) {
                        let outcome = try await store.notes.insert(Array(mine[start..<start + 20]))
                        inserted.change { $0 += outcome.inserted }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inserted.value == 60)
        #expect(try await stage.store.notes.count() == 60)
    }

    @Test func `several workers share the queue, and each note is leased once`() async throws {
        let stage = try await PostgresStage()
        let space = try await stage.space(4)
        _ = try await stage.store.notes.insert(
            (0..<300).map { NoteDraft(title: "n\($0)", content: "text", externalID: "\($0)") })
        #expect(try await stage.store.queue.counts(in: space.id).waiting == 300)
        let leased = Locked<[Int64]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let (store, worker) = (try PostgresStage.store(stage.uri), WorkerName())
                    while true {
                        let claim = try await store.queue.claim(
                            in: space.id, as: worker, limit: 10, lease: .seconds(60))
                        guard !claim.items.isEmpty else { return }
                        leased.change { $0 += claim.items.map(\.note.id) }
                        try await store.queue.complete(
                            claim.items.map {
                                EmbeddingRow(
                                    noteID: $0.note.id, contentHash: $0.note.contentHash, vector: [1, 0, 0, 1])
                            }, in: space, as: worker)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(leased.value.count == 300)
        #expect(Set(leased.value).count == 300)
        #expect(try await stage.store.spaces.embeddingCount(in: space.id) == 300)
        #expect(try await stage.store.queue.counts(in: space.id).all == 0)
        #expect(try await stage.store.queue.reconcile(for: space.id, isThorough: true) == 0)
    }

    @Test func `a lease that ends, a failure and an edit bring a note back`() async throws {
        let stage = try await PostgresStage()
        let (space, store) = (try await stage.space(2), stage.store)
        _ = try await store.notes.insert([NoteDraft(title: "a", content: "1", externalID: "a")])
        let (first, second) = (WorkerName(), WorkerName())
        let claim = try await store.queue.claim(in: space.id, as: first, limit: 1, lease: .milliseconds(100))
        let item = try #require(claim.items.first)
        #expect(try await store.queue.claim(in: space.id, as: second, limit: 1, lease: .seconds(60)).isEmpty)
        try await waitUntil {
            try await !store.queue.claim(in: space.id, as: second, limit: 1, lease: .seconds(60)).isEmpty
        }
        // The first worker comes too late to dequeue it.
        let row = EmbeddingRow(noteID: item.note.id, contentHash: item.note.contentHash, vector: [1, 2])
        try await store.queue.complete(
            [],
            failures: [
                QueueFailure(noteID: item.note.id, contentHash: item.note.contentHash, reason: "late", retryAfter: nil)
            ],
            in: space, as: first)
        #expect(try await store.queue.counts(in: space.id).leased == 1)
        try await store.queue.complete(
            [],
            failures: [
                QueueFailure(noteID: item.note.id, contentHash: item.note.contentHash, reason: "no", retryAfter: nil)
            ],
            in: space, as: second)
        #expect(
            try await store.queue.deadLetters(in: space.id) == [
                DeadLetter(noteID: item.note.id, reason: "no", attempts: 1)
            ])
        #expect(try await store.queue.nextDue(in: space.id) == nil)
        // An edit enqueues it again; vectors of the old text do not dequeue it.
        _ = try await store.notes.insert([NoteDraft(title: "a", content: "2", externalID: "a")])
        #expect(try await store.queue.nextDue(in: space.id) == .zero)
        try await store.queue.complete([row], in: space, as: second)
        #expect(try await store.queue.counts(in: space.id).waiting == 1)
        // Deleted notes leave the queue, and their vectors are not stored.
        _ = try await store.notes.delete([item.note.id])
        try await store.queue.complete([row], in: space, as: second)
        #expect(try await store.spaces.embeddingCount(in: space.id) == 0)
        #expect(try await store.queue.counts(in: space.id).all == 0)
    }

    @Test func `vectors come back bit for bit`() async throws {
        let stage = try await PostgresStage()
        let space = try await stage.space(3)
        _ = try await stage.store.notes.insert([NoteDraft(title: "a", content: "1", externalID: "a")])
        let vector: [Float] = [0.1, -1e-30, 3.4e38]
        try await stage.embed([1: vector], in: space)
        let rows = try await stage.store.rows("SELECT embedding FROM vectors")
        #expect(rows.vector(0, 0) == vector)
    }

    @Test func `spaces are switched for all gateways, and one that a person left is not switched to by itself`()
        async throws
    {
        let stage = try await PostgresStage()
        let store = stage.store
        let first = try await stage.space(2)
        let second = try await store.spaces.ensure(
            EmbeddingSpace(model: "n", digest: "d", dimensions: 3, queryPrefix: "", documentPrefix: ""))
        _ = try await store.notes.insert([NoteDraft(title: "a", content: "1", externalID: "a")])
        try await store.queue.reconcile(for: second.id)
        #expect(
            try await store.spaces.switch(to: second.id, atLeast: 1, isAutomatic: true)
                == .incomplete(missing: 1, notes: 1))
        try await stage.embed([1: [1, 2, 3]], in: second)
        #expect(try await store.spaces.switch(to: second.id, atLeast: 1, isAutomatic: true) == .switched)
        #expect(try await PostgresStage.store(stage.uri).spaces.active() == second)
        #expect(try await store.spaces.rollBack() == first)
        #expect(try await store.spaces.switch(to: second.id, atLeast: 1, isAutomatic: true) == .leftBefore)
        await #expect(throws: PostgresError.self) { try await store.spaces.drop(first.id) }
        try await store.spaces.drop(second.id)
        #expect(try await store.spaces.all().map(\.stored) == [first])
    }

    @Test func `changes are listed in the order of their commits and announced`() async throws {
        let stage = try await PostgresStage()
        try await stage.store.prepare()
        let listener = try await PostgresConnection.open(PostgresAddress(stage.uri))
        try await listener.script("LISTEN selene")
        _ = try await stage.store.notes.insert([NoteDraft(title: "a", content: "1", externalID: "a")])
        #expect(try await listener.notification(within: .seconds(30)) == "notes")
        // The note, and its name in its source.
        let rows = try await stage.store.rows("SELECT note_id FROM changes")
        #expect(rows.indices.compactMap { rows.integer($0, 0) } == [1, 1])
    }

    @Test func `gateways that start at once migrate the schema once, and a newer one is refused`() async throws {
        let stage = try await PostgresStage()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<5 { group.addTask { try await PostgresStage.store(stage.uri).prepare() } }
            try await group.waitForAll()
        }
        _ = try await stage.store.write { try await $0.run("UPDATE meta SET value = '99' WHERE key = 'schema'") }
        let error = await #expect(throws: PostgresError.self) { try await PostgresStage.store(stage.uri).prepare() }
        #expect(error?.code == .newerVersion)
    }

    @Test(.slow) func `a server without pgvector is refused with one clear error`() async throws {
        guard let server = await PostgresServer.start(["--debian"]) else { return }
        defer { server.stop() }
        let store = try PostgresStage.store(server.uri)
        let error = await #expect(throws: PostgresError.self) { try await store.prepare() }
        #expect(error?.code == .missingExtension)
        #expect(error?.message.contains("pgvector") == true)
    }

    @Test func `versions of pgvector`() {
        #expect(PostgresSchema.isRecent("0.8.1"))
        #expect(PostgresSchema.isRecent("1.0"))
        #expect(!PostgresSchema.isRecent("0.7.4"))
        #expect(!PostgresSchema.isRecent("x"))
    }
}
