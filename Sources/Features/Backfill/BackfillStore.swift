package import GatewayAPI
package import Machine
package import PostgresStorage
package import Storage

/// Where a backfill finds its notes and leaves their vectors: the SQLite file, or PostgreSQL.
package protocol BackfillStore: Sendable {
    associatedtype Spaces: BackfillSpaces
    associatedtype Queue: BackfillQueue
    associatedtype Notes: BackfillNotes

    var spaces: Spaces { get }
    var queue: Queue { get }
    var notes: Notes { get }
    /// Makes sure that written notes are enqueued.
    func keepTriggers() async throws
}

/// The embedding spaces of a ``BackfillStore``.
package protocol BackfillSpaces: Sendable {
    func ensure(_ space: EmbeddingSpace) async throws -> StoredSpace
    func find(
        model: String, digest: String, queryPrefix: String, documentPrefix: String, chunkerVersion: Int
    ) async throws -> StoredSpace?
    func active() async throws -> StoredSpace?
    func all() async throws -> [SpaceStatus]
    func activate(_ id: SpaceID) async throws
    func `switch`(to id: SpaceID, atLeast least: Double, isAutomatic: Bool) async throws -> SpaceSwitch
    func embeddingCount(in space: SpaceID) async throws -> Int
    func copyWholeNotes(into space: StoredSpace, maxBytes: Int) async throws -> Int
    func keepRate(_ bytesPerSecond: Double, of model: String) async throws
}

/// The queue of a ``BackfillStore``.
package protocol BackfillQueue: Sendable {
    @discardableResult
    func reconcile(for space: SpaceID, isThorough: Bool) async throws -> Int
    func claim(
        in space: SpaceID, as worker: WorkerName, limit: Int, maxBytes: Int, lease: Duration, filter: QueueFilter
    ) async throws -> QueueClaim
    func remove(_ notes: Set<Int64>, in space: SpaceID, as worker: WorkerName) async throws
    func complete(
        _ rows: [EmbeddingRow], failures: [QueueFailure], in space: StoredSpace, as worker: WorkerName
    ) async throws
    func giveBack(of worker: WorkerName) async throws
    func renewLeases(of worker: WorkerName, for lease: Duration) async throws
    func freeDeadLeases() async throws
    func counts(in space: SpaceID) async throws -> QueueCounts
    func nextDue(in space: SpaceID, filter: QueueFilter) async throws -> Duration?
    func deadLetters(in space: SpaceID, limit: Int) async throws -> [DeadLetter]
}

extension BackfillQueue {
    @discardableResult
    func reconcile(for space: SpaceID) async throws -> Int { try await reconcile(for: space, isThorough: false) }

    func nextDue(in space: SpaceID) async throws -> Duration? { try await nextDue(in: space, filter: QueueFilter()) }

    func deadLetters(in space: SpaceID) async throws -> [DeadLetter] {
        try await deadLetters(in: space, limit: 1000)
    }
}

/// The notes of a ``BackfillStore``.
package protocol BackfillNotes: Sendable {
    func count() async throws -> Int
    func hasTextToEmbed() async throws -> Bool
    func find(ids: [Int64], maxBytes: Int) async throws -> [Note]
}

extension GatewayDatabase: BackfillStore {}
extension SpaceStore: BackfillSpaces {}
extension QueueStore: BackfillQueue {}
extension NoteStore: BackfillNotes {}

extension PostgresStore: BackfillStore {}
extension PostgresSpaces: BackfillSpaces {}
extension PostgresQueue: BackfillQueue {}
extension PostgresNotes: BackfillNotes {}
