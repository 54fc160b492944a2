import GatewayAPI
import Logging
import Machine
import PostgresStorage
import Storage

/// A store whose calls wait while PostgreSQL is away, so that a job outlasts it.
///
/// Each call can be repeated: what it changes does not change twice.
struct PatientStore<Base: BackfillStore>: BackfillStore {
    let base: Base
    let patience: StorePatience

    var spaces: PatientSpaces<Base.Spaces> { PatientSpaces(base: base.spaces, patience: patience) }
    var queue: PatientQueue<Base.Queue> { PatientQueue(base: base.queue, patience: patience) }
    var notes: PatientNotes<Base.Notes> { PatientNotes(base: base.notes, patience: patience) }

    func keepTriggers() async throws { try await patience.outlast { try await base.keepTriggers() } }
}

/// How long calls wait.
struct StorePatience: Sendable {
    /// The first pause, which doubles, and the longest.
    static let pauses = Duration.milliseconds(250)...Duration.seconds(5)

    /// How long one call is repeated; nil for no limit.
    let limit: Duration?
    let logger: Logger

    func waiting(_ store: some BackfillStore) -> any BackfillStore { PatientStore(base: store, patience: self) }

    /// Repeats a call until PostgreSQL answers.
    func outlast<Value>(_ body: () async throws -> Value) async throws -> Value {
        let began = ContinuousClock.now
        var pause = Self.pauses.lowerBound
        while true {
            do {
                return try await body()
            } catch let error as PostgresError where error.isPassing {
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

struct PatientSpaces<Base: BackfillSpaces>: BackfillSpaces {
    let base: Base
    let patience: StorePatience

    func ensure(_ space: EmbeddingSpace) async throws -> StoredSpace {
        try await patience.outlast { try await base.ensure(space) }
    }

    func find(
        model: String, digest: String, queryPrefix: String, documentPrefix: String, chunkerVersion: Int
    ) async throws -> StoredSpace? {
        try await patience.outlast {
            try await base.find(
                model: model, digest: digest, queryPrefix: queryPrefix, documentPrefix: documentPrefix,
                chunkerVersion: chunkerVersion)
        }
    }

    func active() async throws -> StoredSpace? { try await patience.outlast { try await base.active() } }

    func all() async throws -> [SpaceStatus] { try await patience.outlast { try await base.all() } }

    func activate(_ id: SpaceID) async throws { try await patience.outlast { try await base.activate(id) } }

    func `switch`(to id: SpaceID, atLeast least: Double, isAutomatic: Bool) async throws -> SpaceSwitch {
        try await patience.outlast { try await base.switch(to: id, atLeast: least, isAutomatic: isAutomatic) }
    }

    func embeddingCount(in space: SpaceID) async throws -> Int {
        try await patience.outlast { try await base.embeddingCount(in: space) }
    }

    func copyWholeNotes(into space: StoredSpace, maxBytes: Int) async throws -> Int {
        try await patience.outlast { try await base.copyWholeNotes(into: space, maxBytes: maxBytes) }
    }

    func keepRate(_ bytesPerSecond: Double, of model: String) async throws {
        try await patience.outlast { try await base.keepRate(bytesPerSecond, of: model) }
    }
}

struct PatientQueue<Base: BackfillQueue>: BackfillQueue {
    let base: Base
    let patience: StorePatience

    func reconcile(for space: SpaceID, isThorough: Bool) async throws -> Int {
        try await patience.outlast { try await base.reconcile(for: space, isThorough: isThorough) }
    }

    func claim(
        in space: SpaceID, as worker: WorkerName, limit: Int, maxBytes: Int, lease: Duration, filter: QueueFilter
    ) async throws -> QueueClaim {
        try await patience.outlast {
            try await base.claim(
                in: space, as: worker, limit: limit, maxBytes: maxBytes, lease: lease, filter: filter)
        }
    }

    func remove(_ notes: Set<Int64>, in space: SpaceID, as worker: WorkerName) async throws {
        try await patience.outlast { try await base.remove(notes, in: space, as: worker) }
    }

    func settle(
        _ rows: [EmbeddingRow], failures: [QueueFailure], in space: StoredSpace, as worker: WorkerName
    ) async throws {
        try await patience.outlast { try await base.settle(rows, failures: failures, in: space, as: worker) }
    }

    /// Does not wait, since the run is over: leases end by themselves.
    func giveBack(of worker: WorkerName) async throws {
        do {
            try await base.giveBack(of: worker)
        } catch let error as PostgresError where error.isPassing {
            patience.logger.warning("notes stay leased for now", metadata: ["reason": "\(error)"])
        }
    }

    /// Does not wait, since the next renewal comes soon.
    func renewLeases(of worker: WorkerName, for lease: Duration) async throws {
        try await base.renewLeases(of: worker, for: lease)
    }

    func freeDeadLeases() async throws { try await patience.outlast { try await base.freeDeadLeases() } }

    func counts(in space: SpaceID) async throws -> QueueCounts {
        try await patience.outlast { try await base.counts(in: space) }
    }

    func nextDue(in space: SpaceID, filter: QueueFilter) async throws -> Duration? {
        try await patience.outlast { try await base.nextDue(in: space, filter: filter) }
    }

    func deadLetters(in space: SpaceID, limit: Int) async throws -> [DeadLetter] {
        try await patience.outlast { try await base.deadLetters(in: space, limit: limit) }
    }
}

struct PatientNotes<Base: BackfillNotes>: BackfillNotes {
    let base: Base
    let patience: StorePatience

    func count() async throws -> Int { try await patience.outlast { try await base.count() } }

    func hasTextToEmbed() async throws -> Bool { try await patience.outlast { try await base.hasTextToEmbed() } }

    func find(ids: [Int64], maxBytes: Int) async throws -> [Note] {
        try await patience.outlast { try await base.find(ids: ids, maxBytes: maxBytes) }
    }
}
