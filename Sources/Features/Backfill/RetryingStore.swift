import GatewayAPI
import Logging
import Machine
import PostgresStorage
import Storage

/// A store whose calls wait while PostgreSQL is away, so that a job outlasts it.
///
/// Each call can be repeated: what it changes does not change twice.
struct RetryingStore<Base: BackfillStore>: BackfillStore {
    let base: Base
    let retry: StoreRetry

    var spaces: RetryingSpaces<Base.Spaces> { RetryingSpaces(base: base.spaces, retry: retry) }
    var queue: RetryingQueue<Base.Queue> { RetryingQueue(base: base.queue, retry: retry) }
    var notes: RetryingNotes<Base.Notes> { RetryingNotes(base: base.notes, retry: retry) }

    func keepTriggers() async throws { try await retry.run { try await base.keepTriggers() } }
}

/// How long calls wait.
struct StoreRetry: Sendable {
    /// The first pause, which doubles, and the longest.
    static let pauses = Duration.milliseconds(250)...Duration.seconds(5)

    /// How long one call is repeated; nil for no limit.
    let limit: Duration?
    let logger: Logger

    func waiting(_ store: some BackfillStore) -> any BackfillStore { RetryingStore(base: store, retry: self) }

    /// Repeats a call until PostgreSQL answers.
    func run<Value>(_ body: () async throws -> Value) async throws -> Value {
        let began = ContinuousClock.now
        var pause = Self.pauses.lowerBound
        while true {
            do {
                return try await body()
            } catch let error as PostgresError where error.isTransient {
                if let limit, ContinuousClock.now - began > limit { throw error }
                if pause == Self.pauses.lowerBound {
                    logger.warning("a backfill waits for PostgreSQL", metadata: ["reason": "\(error)"])
                }
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.upperBound)
        }
    }
}

struct RetryingSpaces<Base: BackfillSpaces>: BackfillSpaces {
    let base: Base
    let retry: StoreRetry

    func ensure(_ space: EmbeddingSpace) async throws -> StoredSpace {
        try await retry.run { try await base.ensure(space) }
    }

    func find(
        model: String, digest: String, queryPrefix: String, documentPrefix: String, chunkerVersion: Int
    ) async throws -> StoredSpace? {
        try await retry.run {
            try await base.find(
                model: model, digest: digest, queryPrefix: queryPrefix, documentPrefix: documentPrefix,
                chunkerVersion: chunkerVersion)
        }
    }

    func active() async throws -> StoredSpace? { try await retry.run { try await base.active() } }

    func all() async throws -> [SpaceStatus] { try await retry.run { try await base.all() } }

    func activate(_ id: SpaceID) async throws { try await retry.run { try await base.activate(id) } }

    func `switch`(to id: SpaceID, atLeast least: Double, isAutomatic: Bool) async throws -> SpaceSwitch {
        try await retry.run { try await base.switch(to: id, atLeast: least, isAutomatic: isAutomatic) }
    }

    func embeddingCount(in space: SpaceID) async throws -> Int {
        try await retry.run { try await base.embeddingCount(in: space) }
    }

    func copyWholeNotes(into space: StoredSpace, maxBytes: Int) async throws -> Int {
        try await retry.run { try await base.copyWholeNotes(into: space, maxBytes: maxBytes) }
    }

    func keepRate(_ bytesPerSecond: Double, of model: String) async throws {
        try await retry.run { try await base.keepRate(bytesPerSecond, of: model) }
    }
}

struct RetryingQueue<Base: BackfillQueue>: BackfillQueue {
    let base: Base
    let retry: StoreRetry

    func reconcile(for space: SpaceID, isThorough: Bool) async throws -> Int {
        try await retry.run { try await base.reconcile(for: space, isThorough: isThorough) }
    }

    func claim(
        in space: SpaceID, as worker: WorkerName, limit: Int, maxBytes: Int, lease: Duration, filter: QueueFilter
    ) async throws -> QueueClaim {
        try await retry.run {
            try await base.claim(
                in: space, as: worker, limit: limit, maxBytes: maxBytes, lease: lease, filter: filter)
        }
    }

    func remove(_ notes: Set<Int64>, in space: SpaceID, as worker: WorkerName) async throws {
        try await retry.run { try await base.remove(notes, in: space, as: worker) }
    }

    func complete(
        _ rows: [EmbeddingRow], failures: [QueueFailure], in space: StoredSpace, as worker: WorkerName
    ) async throws {
        try await retry.run { try await base.complete(rows, failures: failures, in: space, as: worker) }
    }

    /// Does not wait, since the run is over: leases end by themselves.
    func giveBack(of worker: WorkerName) async throws {
        do {
            try await base.giveBack(of: worker)
        } catch let error as PostgresError where error.isTransient {
            retry.logger.warning("notes stay leased for now", metadata: ["reason": "\(error)"])
        }
    }

    /// Does not wait, since the next renewal comes soon.
    func renewLeases(of worker: WorkerName, for lease: Duration) async throws {
        try await base.renewLeases(of: worker, for: lease)
    }

    func freeDeadLeases() async throws { try await retry.run { try await base.freeDeadLeases() } }

    func counts(in space: SpaceID) async throws -> QueueCounts {
        try await retry.run { try await base.counts(in: space) }
    }

    func nextDue(in space: SpaceID, filter: QueueFilter) async throws -> Duration? {
        try await retry.run { try await base.nextDue(in: space, filter: filter) }
    }

    func deadLetters(in space: SpaceID, limit: Int) async throws -> [DeadLetter] {
        try await retry.run { try await base.deadLetters(in: space, limit: limit) }
    }
}

struct RetryingNotes<Base: BackfillNotes>: BackfillNotes {
    let base: Base
    let retry: StoreRetry

    func count() async throws -> Int { try await retry.run { try await base.count() } }

    func hasTextToEmbed() async throws -> Bool { try await retry.run { try await base.hasTextToEmbed() } }

    func find(ids: [Int64], maxBytes: Int) async throws -> [Note] {
        try await retry.run { try await base.find(ids: ids, maxBytes: maxBytes) }
    }
}
