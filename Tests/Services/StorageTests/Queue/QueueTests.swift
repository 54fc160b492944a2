import Foundation
import GRDB
import Machine
import StoreTestSupport
import Testing

@testable import Storage

@Suite struct EmbeddingQueue {
    let space = EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "q: ", documentPrefix: "d: ")

    /// A database with notes, a space that is being filled, and workers.
    func filled(_ temporary: TemporaryDatabase, notes: Int) async throws -> (GatewayDatabase, StoredSpace) {
        let database = try temporary.open()
        _ = try await database.notes.insert(drafts(0..<notes))
        let stored = try await database.spaces.ensure(space)
        #expect(try await database.queue.reconcile(for: stored.id) == notes)
        return (database, stored)
    }

    func drafts(_ range: Range<Int>) -> [NoteDraft] {
        range.map { NoteDraft(title: "title \($0)", content: "content \($0)", externalID: "id-\($0)") }
    }

    func rows(_ claim: QueueClaim) -> [EmbeddingRow] {
        claim.items.map { EmbeddingRow(noteID: $0.note.id, contentHash: $0.note.contentHash, vector: [1, 2]) }
    }

    func ids(_ claim: QueueClaim) -> [Int64] { claim.items.map(\.note.id) }

    @Test func `a note belongs to one worker at a time, the newest first`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, stored) = try await filled(temporary, notes: 6)
        let (one, two) = (WorkerName(), WorkerName())
        let first = try await database.queue.claim(in: stored.id, as: one, limit: 4, lease: .seconds(60))
        let second = try await database.queue.claim(in: stored.id, as: two, limit: 4, lease: .seconds(60))
        #expect(ids(first) == [6, 5, 4, 3])
        #expect(ids(second) == [2, 1])
        #expect(try await database.queue.claim(in: stored.id, as: two, limit: 4, lease: .seconds(60)).isEmpty)
        #expect(try await database.queue.counts(in: stored.id) == QueueCounts(waiting: 0, leased: 6, failed: 0))
        try await database.queue.complete(rows(first), in: stored, as: one)
        try await database.queue.giveBack(of: two)
        #expect(try await database.queue.counts(in: stored.id) == QueueCounts(waiting: 2, leased: 0, failed: 0))
        #expect(try await database.spaces.embeddingCount(in: stored.id) == 4)
        #expect(try await database.queue.reconcile(for: stored.id) == 0)
    }

    @Test func `a lease that ended is another worker's, and one that is renewed is not`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, stored) = try await filled(temporary, notes: 2)
        let (one, two) = (WorkerName(), WorkerName())
        #expect(try await database.queue.claim(in: stored.id, as: one, limit: 9, lease: .zero).items.count == 2)
        try await database.queue.renewLeases(of: one, for: .seconds(60))
        #expect(try await database.queue.claim(in: stored.id, as: two, limit: 9, lease: .zero).isEmpty)
        try await database.queue.renewLeases(of: one, for: .zero)
        let taken = try await database.queue.claim(in: stored.id, as: two, limit: 9, lease: .seconds(60))
        #expect(taken.items.count == 2)
        // The first one comes late: its vectors are as good, and the second one's lease stands.
        try await database.queue.complete(rows(taken), in: stored, as: one)
        #expect(try await database.queue.counts(in: stored.id).leased == 2)
        #expect(try await database.queue.nextDue(in: stored.id).map { $0 > .seconds(50) } == true)
    }

    @Test func `the leases of a process that ended are free at once`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, stored) = try await filled(temporary, notes: 3)
        let ended = Process()
        ended.executableURL = URL(filePath: "/bin/sh")
        ended.arguments = ["-c", "exit 0"]
        try ended.run()
        let pid = ended.processIdentifier
        ended.waitUntilExit()
        let own = WorkerName()
        #expect(!own.isGone)
        var parts = own.description.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        parts[2] = String(pid)
        let gone = WorkerName(parts.joined(separator: "/"))
        #expect(gone.isGone)
        parts[0] = "another machine"
        let far = WorkerName(parts.joined(separator: "/"))
        #expect(!far.isGone)
        _ = try await database.queue.claim(in: stored.id, as: gone, limit: 1, lease: .seconds(600))
        _ = try await database.queue.claim(in: stored.id, as: far, limit: 1, lease: .seconds(600))
        _ = try await database.queue.claim(in: stored.id, as: own, limit: 1, lease: .seconds(600))
        try await database.queue.freeDeadLeases()
        #expect(try await database.queue.counts(in: stored.id) == QueueCounts(waiting: 1, leased: 2, failed: 0))
    }

    @Test func `another program's writes are enqueued, edits of other columns are not`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, stored) = try await filled(temporary, notes: 3)
        let worker = WorkerName()
        try await database.queue.complete(
            rows(try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60))), in: stored,
            as: worker)
        #expect(try await database.queue.counts(in: stored.id).all == 0)
        let other = try DatabaseQueue(path: temporary.path)
        try await other.write { database in
            try database.execute(sql: "UPDATE raw_notes SET tags = '[]', content = content")
            try database.execute(sql: "UPDATE raw_notes SET content = 'new' WHERE id = 2")
            try database.execute(
                sql: "INSERT INTO raw_notes (title, content, created_at) VALUES ('t', 'c', '2026-01-01')")
            try database.execute(
                sql:
                    "INSERT OR REPLACE INTO raw_notes (id, title, content, created_at) VALUES (1, 'r', 'c', '2026-01-01')"
            )
            try database.execute(sql: "DELETE FROM raw_notes WHERE id = 3")
        }
        let claim = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60))
        #expect(ids(claim) == [4, 2, 1])
        // Back to the text that is embedded: nothing to do.
        try await other.write { database in
            try database.execute(sql: "UPDATE raw_notes SET content = 'content 1' WHERE id = 2")
            try database.execute(sql: "UPDATE raw_notes SET content = ' ', title = '' WHERE id = 4")
        }
        let again = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60))
        #expect(again == QueueClaim(items: [], skipped: 2))
        #expect(try await database.queue.counts(in: stored.id) == QueueCounts(waiting: 0, leased: 1, failed: 0))
    }

    @Test func `an edit while a note is embedded keeps it in the queue`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, stored) = try await filled(temporary, notes: 2)
        let worker = WorkerName()
        let claim = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60))
        _ = try await database.notes.insert([NoteDraft(title: "title 0", content: "edited", externalID: "id-0")])
        try await database.queue.complete(rows(claim), in: stored, as: worker)
        let next = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60))
        #expect(next.items.map(\.note.content) == ["edited"])
    }

    @Test func `a note that fails is due later, then given up, and comes back when asked for or edited`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, stored) = try await filled(temporary, notes: 2)
        let worker = WorkerName()
        func fail(_ ids: [Int64], _ pause: Duration?) async throws {
            _ = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60))
            try await database.queue.complete(
                [], failures: ids.map { QueueFailure(noteID: $0, contentHash: [1], reason: "no", retryAfter: pause) },
                in: stored, as: worker)
        }
        try await fail([1, 2], .zero)
        try await fail([1], .seconds(60))
        try await database.queue.giveBack(of: worker)
        let counts = try await database.queue.counts(in: stored.id)
        #expect(counts == QueueCounts(waiting: 2, leased: 0, failed: 0))
        let claim = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60))
        #expect(claim.items.map(\.attempts) == [1])
        try await database.queue.complete(
            [], failures: [QueueFailure(noteID: 2, contentHash: [1], reason: "bad", retryAfter: nil)], in: stored,
            as: worker)
        #expect(
            try await database.queue.deadLetters(in: stored.id) == [DeadLetter(noteID: 2, reason: "bad", attempts: 2)])
        #expect(try await database.queue.reconcile(for: stored.id) == 0)
        #expect(try await database.queue.retryFailed() == 1)
        #expect(
            try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60)).items.map(
                \.attempts)
                == [0])
    }

    @Test func `day and bytes bound what is taken`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert(
            (0..<10).map {
                NoteDraft(title: "t\($0)", content: "c", createdAt: Int64($0) * 86_400, externalID: "\($0)")
            })
        let stored = try await database.spaces.ensure(space)
        try await database.queue.reconcile(for: stored.id)
        let worker = WorkerName()
        let filter = QueueFilter(createdSince: "1970-01-08")
        #expect(try await database.queue.pendingSize(in: stored.id, filter: filter, limit: nil) == (3, 9))
        let claim = try await database.queue.claim(
            in: stored.id, as: worker, limit: 9, maxBytes: 6, lease: .seconds(60), filter: filter)
        #expect(ids(claim) == [10, 9])
        _ = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60), filter: filter)
        #expect(try await database.queue.counts(in: stored.id).waiting == 7)
        #expect(try await database.queue.pendingSize(in: nil, filter: QueueFilter(), limit: 4) == (4, 12))
    }
}

@Suite struct EmbeddingSpaces {
    let space = EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "q: ", documentPrefix: "d: ")

    func fill(_ database: GatewayDatabase, _ space: StoredSpace, _ limit: Int = 100) async throws {
        try await database.queue.reconcile(for: space.id)
        let worker = WorkerName()
        let claim = try await database.queue.claim(in: space.id, as: worker, limit: limit, lease: .seconds(60))
        try await database.queue.complete(
            claim.items.map { EmbeddingRow(noteID: $0.note.id, contentHash: $0.note.contentHash, vector: [1, 2]) },
            in: space, as: worker)
    }

    @Test func `a switch waits for enough vectors, is not undone by itself, and rolls back`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        _ = try await database.notes.insert(
            (0..<10).map { NoteDraft(title: "", content: "c\($0)", externalID: "\($0)") })
        let old = try await database.spaces.ensure(space)
        try await database.spaces.activate(old.id)
        try await fill(database, old)
        var identity = space
        identity.model = "n"
        let new = try await database.spaces.ensure(identity)
        try await fill(database, new, 9)
        func go(_ id: SpaceID, _ share: Double, automatic: Bool = true) async throws -> SpaceSwitch {
            try await database.spaces.switch(to: id, atLeast: share, isAutomatic: automatic)
        }
        #expect(try await go(new.id, 1) == .incomplete(missing: 1, notes: 10))
        #expect(try await database.spaces.active() == old)
        #expect(try await go(new.id, 0.9) == .switched)
        #expect(try await go(new.id, 1) == .active)
        #expect(try await database.spaces.active() == new)
        #expect(try await database.spaces.all().map(\.isFilled) == [false, true])
        #expect(try await database.spaces.rollBack() == old)
        #expect(try await database.spaces.active() == old)
        try await fill(database, new)
        #expect(try await go(new.id, 1) == .leftBefore)
        #expect(try await go(new.id, 1, automatic: false) == .switched)
        await #expect(throws: StorageError.self) { try await database.spaces.drop(new.id) }
        try await database.spaces.drop(old.id)
        #expect(try await database.spaces.all().map(\.stored) == [new])
        #expect(try await database.spaces.embeddingCount(in: old.id) == 0)
        await #expect(throws: StorageError.self) { try await database.spaces.rollBack() }
        await #expect(throws: StorageError.self) { try await database.spaces.drop(77) }
    }

    @Test func `vectors of a space are changes while it answers, and those of meanwhile once it does again`()
        async throws
    {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        let drafts = (0..<3).map { NoteDraft(title: "", content: "c\($0)", externalID: "\($0)") }
        _ = try await database.notes.insert(drafts)
        let old = try await database.spaces.ensure(space)
        try await database.spaces.activate(old.id)
        var cursor = try await database.changes.changeState().cursor
        func changes() async throws -> Int {
            let before = cursor
            cursor = try await database.changes.changeState().cursor
            return try await database.changes.since(before, in: nil).notes.count
        }
        try await fill(database, old)
        #expect(try await changes() == 3)
        var identity = space
        identity.model = "n"
        let new = try await database.spaces.ensure(identity)
        try await fill(database, new)
        #expect(try await changes() == 0)
        try await database.spaces.activate(new.id)
        #expect(try await changes() == 0)
        _ = try await database.notes.insert([NoteDraft(title: "", content: "c3", externalID: "3")])
        try await fill(database, new)
        #expect(try await changes() == 1)
        let left = try DatabaseQueue(path: temporary.path)
        try await left.write { try $0.execute(sql: "UPDATE gateway_embeddings SET created_at = '2020-01-01 00:00:00'") }
        _ = try await changes()
        try await fill(database, old)
        #expect(try await changes() == 0)
        #expect(try await database.spaces.rollBack() == old)
        #expect(try await changes() == 1)
    }

    @Test func `vectors of short unchanged notes are taken over from the same model's other space`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try temporary.open()
        let long = String(repeating: "é", count: 51)
        _ = try await database.notes.insert(
            [("a", "short"), ("b", long), ("c", "edited"), ("d", String(repeating: "é", count: 50))].map {
                NoteDraft(title: "", content: $0.1, externalID: $0.0)
            })
        let whole = try await database.spaces.ensure(space)
        try await fill(database, whole)
        _ = try await database.notes.insert([NoteDraft(title: "", content: "another", externalID: "c")])
        var cut = space
        cut.chunkerVersion = 1
        let new = try await database.spaces.ensure(cut)
        var other = cut
        other.model = "n"
        #expect(
            try await database.spaces.copyWholeNotes(into: try await database.spaces.ensure(other), maxBytes: 100) == 0)
        #expect(try await database.spaces.copyWholeNotes(into: new, maxBytes: 100) == 2)
        #expect(try await database.spaces.copyWholeNotes(into: new, maxBytes: 100) == 0)
        try await database.queue.reconcile(for: new.id)
        let claim = try await database.queue.claim(in: new.id, as: WorkerName(), limit: 9, lease: .seconds(60))
        #expect(claim.items.map(\.note.id) == [3, 2])
    }

    @Test func `a file of before the queue opens, its active space is filled`() async throws {
        let temporary = try TemporaryDatabase()
        let queue = try DatabaseQueue(path: temporary.path)
        try Migrations.migrator.migrate(queue, upTo: "gateway-6-grants")
        try await queue.write { database in
            try database.execute(
                sql: """
                    INSERT INTO gateway_spaces VALUES (7, 'm', 'd', 2, 'q: ', 'd: ', 0, '2026-01-01 00:00:00');
                    INSERT INTO gateway_meta VALUES ('active_space', '7');
                    """)
        }
        try queue.close()
        let database = try temporary.open()
        let status = try #require(try await database.spaces.all().first)
        #expect(status.isActive && status.isFilled && status.activatedAt == "2026-01-01 00:00:00")
        _ = try await database.notes.insert([NoteDraft(title: "", content: "c", externalID: "c")])
        #expect(try await database.queue.counts(in: 7).waiting == 1)
    }
}
