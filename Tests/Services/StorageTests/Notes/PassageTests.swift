import Foundation
import GRDB
import Machine
import StoreTestSupport
import Testing

@testable import Storage

@Suite struct Passages {
    private let worker = WorkerName()
    let space = EmbeddingSpace(
        model: "m", digest: "d", dimensions: 2, queryPrefix: "", documentPrefix: "", chunkerVersion: 1)

    /// A database with notes 1 to `notes`.
    func filled(_ temporary: TemporaryDatabase, notes: Int) async throws -> GatewayDatabase {
        let database = try temporary.open()
        _ = try await database.notes.insert(
            (1...notes).map { NoteDraft(title: "title \($0)", content: "content \($0)", externalID: "\($0)") })
        return database
    }

    /// A row of vectors that say which note and passage they are of.
    func row(_ note: Int64, passages: Int) -> EmbeddingRow {
        EmbeddingRow(
            noteID: note, contentHash: [1], vectors: (0..<passages).flatMap { [Float(note), Float($0)] },
            passages: passages)
    }

    func notes(_ database: GatewayDatabase, in space: StoredSpace?, batchSize: Int = 1000) async throws -> [FeedNote] {
        let read = FeedReader()
        _ = try await database.changes.readAll(in: space, batchSize: batchSize) { read.add($0) }
        return read.notes
    }

    /// What stands in the table of further passages: space, note and passage.
    func stored(_ temporary: TemporaryDatabase) throws -> [[Int]] {
        try DatabaseQueue(path: temporary.path).read { database in
            try Row.fetchAll(database, sql: "SELECT space_id, note_id, passage FROM gateway_passages").map { row in
                [row[0], row[1], row[2]]
            }
        }
    }

    @Test func `a note's vectors come back in their order, whatever the size of the batches`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try await filled(temporary, notes: 6)
        let stored = try await database.spaces.ensure(space)
        let rows = [row(1, passages: 3), row(2, passages: 1), row(4, passages: 2), row(6, passages: 5)]
        try await database.queue.complete(rows, in: stored, as: worker)
        #expect(try await database.spaces.embeddingCount(in: stored.id) == 4)
        for size in [1, 2, 1000] {
            let notes = try await notes(database, in: stored, batchSize: size)
            #expect(notes.map(\.id) == [1, 2, 3, 4, 5, 6])
            #expect(notes.map(\.passages) == [3, 1, 0, 2, 0, 5])
            for row in rows { #expect(notes.first { $0.id == row.noteID }?.vectors == row.vectors) }
        }
        #expect(try await notes(database, in: nil).allSatisfy { $0.vectors.isEmpty && $0.passages == 0 })
    }

    @Test func `storing again replaces all passages of a note`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try await filled(temporary, notes: 2)
        let stored = try await database.spaces.ensure(space)
        try await database.queue.complete([row(1, passages: 4), row(2, passages: 3)], in: stored, as: worker)
        try await database.queue.complete([row(1, passages: 2)], in: stored, as: worker)
        #expect(try self.stored(temporary) == [[1, 1, 1], [1, 2, 1], [1, 2, 2]])
        try await database.queue.complete([row(2, passages: 1)], in: stored, as: worker)
        #expect(try await notes(database, in: stored).map(\.passages) == [2, 1])
    }

    @Test func `passages go with their note in every space, and with their embedding in its own`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try await filled(temporary, notes: 3)
        let first = try await database.spaces.ensure(space)
        var other = space
        other.chunkerVersion = 2
        let second = try await database.spaces.ensure(other)
        let rows = (1...3).map { row($0, passages: 2) }
        try await database.queue.complete(rows, in: first, as: worker)
        try await database.queue.complete(rows, in: second, as: worker)
        let process = try DatabaseQueue(path: temporary.path)
        try await process.write { try $0.execute(sql: "DELETE FROM raw_notes WHERE id = 2") }
        #expect(try stored(temporary) == [[1, 1, 1], [1, 3, 1], [2, 1, 1], [2, 3, 1]])
        try await process.write {
            try $0.execute(sql: "DELETE FROM gateway_embeddings WHERE space_id = 1 AND note_id = 3")
        }
        #expect(try stored(temporary) == [[1, 1, 1], [2, 1, 1], [2, 3, 1]])
        #expect(try await notes(database, in: first).map(\.passages) == [2, 0])
        #expect(try await notes(database, in: second).map(\.passages) == [2, 2])
    }

    @Test func `vectors that do not fit the space are refused, and nothing of the batch is stored`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try await filled(temporary, notes: 2)
        let stored = try await database.spaces.ensure(space)
        let wrong: [(vectors: [Float], passages: Int)] = [
            ([], 0), ([], 1), ([1], 1), ([1, 2, 3], 2), ([1, 2], 2), ([1, 2], .max), ([1, 2], -1),
        ]
        for (vectors, passages) in wrong {
            let bad = EmbeddingRow(noteID: 2, contentHash: [], vectors: vectors, passages: passages)
            await #expect(throws: StorageError.self) {
                try await database.queue.complete([row(1, passages: 2), bad], in: stored, as: worker)
            }
        }
        #expect(try await database.spaces.embeddingCount(in: stored.id) == 0)
        #expect(try self.stored(temporary).isEmpty)
    }

    @Test func `a note that was deleted meanwhile leaves no passages behind`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try await filled(temporary, notes: 1)
        let stored = try await database.spaces.ensure(space)
        try await database.queue.complete([row(99, passages: 3), row(1, passages: 2)], in: stored, as: worker)
        #expect(try self.stored(temporary) == [[1, 1, 1]])
        #expect(try await database.spaces.embeddingCount(in: stored.id) == 1)
    }

    @Test func `after a passage that is damaged or missing no more are read`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try await filled(temporary, notes: 4)
        let stored = try await database.spaces.ensure(space)
        try await database.queue.complete((1...4).map { row($0, passages: 4) }, in: stored, as: worker)
        try await DatabaseQueue(path: temporary.path).write { database in
            try database.execute(sql: "UPDATE gateway_passages SET vector = x'00' WHERE note_id = 1 AND passage = 2")
            try database.execute(sql: "DELETE FROM gateway_passages WHERE note_id = 2 AND passage = 1")
            try database.execute(sql: "UPDATE gateway_embeddings SET vector = x'00' WHERE note_id = 3")
            try database.execute(sql: "UPDATE gateway_embeddings SET passages = 9e18 WHERE note_id = 4")
        }
        let notes = try await notes(database, in: stored)
        #expect(notes.map(\.passages) == [2, 1, 0, 4])
        #expect(notes.map(\.vectors.count) == [4, 2, 0, 8])
    }

    @Test func `an edit makes a note pending with its title and its content apart`() async throws {
        let temporary = try TemporaryDatabase()
        let database = try await filled(temporary, notes: 1)
        let stored = try await database.spaces.ensure(space)
        try await database.queue.reconcile(for: stored.id)
        let pending = try await database.queue.claim(in: stored.id, as: worker, limit: 9, lease: .seconds(60)).items
            .map(\.note)
        #expect(pending.map(\.title) == ["title 1"])
        #expect(pending.map(\.content) == ["content 1"])
        #expect(pending.map(\.text) == ["title 1\ncontent 1"])
    }

    @Test func `vectors of a database from before passages count as one each`() async throws {
        let temporary = try TemporaryDatabase()
        let queue = try DatabaseQueue(path: temporary.path)
        try Migrations.migrator.migrate(queue, upTo: "gateway-4-keys")
        try await queue.write { database in
            try database.execute(sql: "INSERT INTO raw_notes (id, title, content, created_at) VALUES (1, 't', 'c', '')")
            try database.execute(
                sql: """
                    INSERT INTO gateway_embeddings (space_id, note_id, content_hash, vector, created_at)
                    VALUES (1, 1, x'00', ?, '')
                    """, arguments: [VectorBlob.encode([3, 4])])
        }
        try queue.close()
        let notes = try await notes(temporary.open(), in: StoredSpace(id: 1, space: space))
        #expect(notes.map(\.vectors) == [[3, 4]])
        #expect(notes.map(\.passages) == [1])
    }
}
