import GRDB
import Machine
import StoreTestSupport
import Testing

@testable import Storage

/// A queue that is known to be complete is not compared with all notes again, and only then.
@Suite struct QueueReconciliation {
    private let model = EmbeddingSpace(model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: "")

    /// A database with three embedded notes, and their space.
    private func embedded(_ temporary: TemporaryDatabase) async throws -> (GatewayDatabase, StoredSpace) {
        let database = try temporary.open()
        _ = try await database.notes.insert(
            (0..<3).map { NoteDraft(title: "t\($0)", content: "c", externalID: "\($0)") })
        let space = try await database.spaces.ensure(model)
        try await database.spaces.activate(space.id)
        #expect(try await database.queue.reconcile(for: space.id) == 3)
        try await embed(database, space)
        return (database, space)
    }

    private func embed(_ database: GatewayDatabase, _ space: StoredSpace) async throws {
        let worker = WorkerName()
        let claim = try await database.queue.claim(in: space.id, as: worker, limit: 50, lease: .seconds(60))
        try await database.queue.complete(
            claim.items.map { EmbeddingRow(noteID: $0.note.id, contentHash: $0.note.contentHash, vector: [1, 0]) },
            in: space, as: worker)
    }

    /// Deletes the vectors of a note in a way that nothing of ours can see: only a full comparison finds it.
    private func forge(_ database: GatewayDatabase, note: Int64) async throws {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM gateway_embeddings WHERE note_id = ?", arguments: [note])
        }
    }

    private func isDone(_ database: GatewayDatabase, _ space: StoredSpace) async throws -> Bool {
        try await database.read { try Reconciliation.isDone($0, $1, space.id) }
    }

    @Test func `a second comparison reads no notes, a thorough one does`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space) = try await embedded(temporary)
        try await forge(database, note: 2)
        #expect(try await database.queue.reconcile(for: space.id) == 0)
        #expect(try await database.queue.reconcile(for: space.id, isThorough: true) == 1)
        #expect(try await isDone(database, space))
    }

    @Test func `what is written later is enqueued without a comparison`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space) = try await embedded(temporary)
        try await database.write { database in
            try database.execute(sql: "UPDATE raw_notes SET content = 'other' WHERE id = 2")
        }
        #expect(try await database.queue.reconcile(for: space.id) == 0)
        #expect(try await database.queue.counts(in: space.id).waiting == 1)
    }

    @Test func `missing triggers, a switch and a removed space have all notes compared`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space) = try await embedded(temporary)
        try await database.write { database in
            for name in try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'raw_notes'")
            {
                try database.execute(sql: "DROP TRIGGER \(name.quotedDatabaseIdentifier)")
            }
            try database.execute(sql: "UPDATE raw_notes SET content = 'unseen' WHERE id = 1")
        }
        try await database.queue.reconcile(for: space.id)
        #expect(try await database.queue.counts(in: space.id).waiting == 1)
        try await embed(database, space)
        try await database.queue.reconcile(for: space.id)
        #expect(try await isDone(database, space))

        var next = model
        next.model = "n"
        let other = try await database.spaces.ensure(next)
        try await database.spaces.activate(other.id)
        #expect(try await !isDone(database, space))
        try await database.write { database in
            try database.execute(sql: "UPDATE raw_notes SET content = 'while left' WHERE id = 3")
        }
        #expect(try await database.spaces.rollBack().id == space.id)
        #expect(try await !isDone(database, space))
        #expect(try await database.queue.reconcile(for: space.id) == 1)

        try await database.queue.reconcile(for: other.id)
        try await database.spaces.drop(other.id)
        #expect(try await !isDone(database, other))
    }

    @Test func `a private note that was taken off the queue comes back with the next comparison`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space) = try await embedded(temporary)
        _ = try await database.notes.insert([NoteDraft(title: "private", content: "c", externalID: "p")])
        let worker = WorkerName()
        let claim = try await database.queue.claim(in: space.id, as: worker, limit: 9, lease: .seconds(60))
        try await database.queue.remove(Set(claim.items.map(\.note.id)), in: space.id, as: worker)
        #expect(try await database.queue.counts(in: space.id).all == 0)
        #expect(try await database.queue.reconcile(for: space.id) == 1)
    }

    @Test func `a comparison that was outdated while it ran leaves no mark`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space) = try await embedded(temporary)
        try await database.writeRelaxed { database, layout in
            let name = try Reconciliation.begin(database, space.id)
            try Triggers.cutLog(database)
            try Reconciliation.finish(database, layout, space.id, name: name)
        }
        #expect(try await !isDone(database, space))
    }

    @Test func `a changed layout of the notes has them compared`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space) = try await embedded(temporary)
        let hasColumn = try await database.read { $1.columns.raw.contains("test_run") }
        try await database.write { database in
            try database.execute(
                sql: hasColumn
                    ? "ALTER TABLE raw_notes RENAME COLUMN test_run TO kept"
                    : "ALTER TABLE raw_notes ADD COLUMN test_run TEXT")
        }
        #expect(try await !isDone(database, space))
    }
}
