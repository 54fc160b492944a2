import Database
import GatewayAPI
import JobRoom
import Machine
import Storage
import StoreTestSupport
import TestSupport

/// Jobs in a store, as two processes see them.
struct JobStage {
    private let stage: StoreStage

    var records: JobRoom { stage.store.jobs }
    /// The records of another process on the same store.
    var others: JobRoom { stage.other.jobs }

    /// Makes an empty store; nil where there can be no server.
    init?(_ place: NotesPlace) async throws {
        guard let stage = try await StoreStage(place) else { return nil }
        self.stage = stage
    }

    /// Inserts a running job of a kind that only another version knows.
    func insertUnknown(_ id: Int64) async throws {
        try await stage.store.run(
            """
            INSERT INTO gateway_jobs (id, kind, state, parameters, created_at, owner)
            VALUES ($1, 'digest', 'running', '{}', '2026-01-01 00:00:00', 'another')
            """, [.integer(id)])
    }

    /// The state of a row.
    func state(_ id: Int64) async throws -> String? {
        try await stage.store.rows("SELECT state FROM gateway_jobs WHERE id = $1", [.integer(id)]).first?.text(0)
    }
}

extension WorkerName {
    /// A worker of this machine whose process has ended.
    static var gone: WorkerName {
        var parts = WorkerName().description.split(separator: "/", omittingEmptySubsequences: false)
        parts[2] = "2147483646"
        return WorkerName(parts.joined(separator: "/"))
    }

    /// A worker of another machine with the same host name, whose process id no process has here.
    static var elsewhere: WorkerName {
        var parts = WorkerName.gone.description.split(separator: "/", omittingEmptySubsequences: false)
        parts[1] = "pid:[4026531836]00000000"
        return WorkerName(parts.joined(separator: "/"))
    }
}

extension JobRoom {
    func begin(
        _ kind: Job.Kind, _ parameters: String = "{}", as worker: WorkerName = WorkerName()
    ) async throws -> (job: StoredJob, isNew: Bool) {
        try await begin(kind: kind, parameters: parameters, key: nil, as: worker)
    }

    @discardableResult
    func end(_ id: Int64, _ state: Job.State, _ message: String? = nil, as worker: WorkerName? = nil) async throws
        -> Job
    {
        try await end(id, state, progress: nil, message: message, as: worker).job
    }
}
