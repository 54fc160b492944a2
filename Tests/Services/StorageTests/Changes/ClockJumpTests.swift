import Foundation
import GRDB
import Machine
import StoreTestSupport
import Synchronization
import Testing

@testable import Storage

/// The machine's clock is set while notes wait to be embedded. Leases are the only times that processes share.
@Suite struct ClockJumps {
    private let space = EmbeddingSpace(
        model: "m", digest: "d", dimensions: 2, queryPrefix: "q: ", documentPrefix: "d: ")

    /// A queue of three notes, of which one is leased, one waits for another try and one is given up.
    private func filled(_ temporary: TemporaryDatabase) async throws -> (GatewayDatabase, SpaceID, WorkerName) {
        let database = try temporary.open()
        _ = try await database.notes.insert(
            (0..<3).map { NoteDraft(title: "\($0)", content: "x", externalID: "\($0)") })
        let id = try await database.spaces.ensure(space).id
        _ = try await database.queue.reconcile(for: id)
        let worker = WorkerName()
        #expect(try await database.queue.claim(in: id, as: worker, limit: 3, lease: .seconds(60)).items.count == 3)
        try await database.pool.write { connection in
            try connection.execute(
                sql: """
                    UPDATE gateway_embedding_queue SET state = 'waiting', owner = NULL WHERE note_id = 2;
                    UPDATE gateway_embedding_queue SET state = 'failed', owner = NULL, due = NULL WHERE note_id = 1;
                    """)
        }
        return (database, id, worker)
    }

    /// What the rows look like when the clock is set by so many seconds.
    private func setClock(_ database: GatewayDatabase, by seconds: Int64) async throws {
        try await database.pool.write { connection in
            try connection.execute(
                sql: "UPDATE gateway_embedding_queue SET due = due - ? WHERE due IS NOT NULL",
                arguments: [seconds * 1000])
        }
    }

    @Test(arguments: [-86_400, -40_000_000] as [Int64])
    func `a clock that is set back strands nothing`(seconds: Int64) async throws {
        let temporary = try TemporaryDatabase()
        let (database, space, _) = try await filled(temporary)
        try await setClock(database, by: seconds)
        #expect(try await database.queue.nextDue(in: space) == .zero)
        let other = WorkerName()
        let claim = try await database.queue.claim(in: space, as: other, limit: 9, lease: .seconds(60))
        #expect(Set(claim.items.map(\.note.id)) == [2, 3])
        #expect(try await database.queue.counts(in: space) == QueueCounts(waiting: 0, leased: 2, failed: 1))
    }

    @Test func `a clock that is set forward ends leases early, and the late worker does no harm`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space, late) = try await filled(temporary)
        try await setClock(database, by: 86_400)
        let other = WorkerName()
        let claim = try await database.queue.claim(in: space, as: other, limit: 9, lease: .seconds(60))
        #expect(Set(claim.items.map(\.note.id)) == [2, 3])
        let stored = try await database.spaces.ensure(self.space)
        let rows = claim.items.map {
            EmbeddingRow(noteID: $0.note.id, contentHash: $0.note.contentHash, vector: [1, 2])
        }
        try await database.queue.complete(rows, in: stored, as: late)
        #expect(try await database.queue.counts(in: space).leased == 2)
        try await database.queue.complete(rows, in: stored, as: other)
        #expect(try await database.queue.counts(in: space) == QueueCounts(waiting: 0, leased: 0, failed: 1))
        #expect(try await database.spaces.embeddingCount(in: space) == 2)
    }

    @Test func `leases and pauses within the horizon stand`() async throws {
        let temporary = try TemporaryDatabase()
        let (database, space, _) = try await filled(temporary)
        try await setClock(database, by: -QueueStore.horizon / 2000)
        #expect(try await database.queue.claim(in: space, as: WorkerName(), limit: 9, lease: .zero).isEmpty)
        #expect(try await database.queue.nextDue(in: space).map { $0 > .seconds(60) } == true)
    }

    @Test func `the cache of vectors keeps its bound and what is new when the clock goes back`() async throws {
        let temporary = try TemporaryDatabase()
        let clock = MovableClock(seconds: 1_800_000_000)
        let entry = EmbeddingCacheFile.overhead + 8
        let cache = try EmbeddingCacheFile(path: temporary.path, maxBytes: 10 * entry) { clock.seconds }
        func key(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }
        for number in UInt8(0)..<8 { try await cache.store([key(number): [1, Float(number)]]) }
        clock.seconds -= 1_000_000
        for number in UInt8(8)..<40 {
            try await cache.store([key(number): [1, Float(number)]])
            #expect(try await cache.size().bytes <= 10 * entry)
        }
        // What is new stays, not what the old clock's time makes look newer.
        #expect(try await cache.vectors(for: [key(0), key(39)]) == [key(39): [1, 39]])
        try cache.close()
    }
}

/// A clock that is set by hand.
private final class MovableClock: Sendable {
    private let value: Mutex<Int64>

    init(seconds: Int64) { value = Mutex(seconds) }

    var seconds: Int64 {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
