package import GatewayAPI
package import Machine

/// The records of jobs: those of the SQLite file (``JobStore``), or those that several gateways share.
///
/// Of each kind one job runs at a time; of kinds that are not single, one for each set of parameters. A job whose process
/// has ended becomes `interrupted` at the next look. Methods throw ``StorageError`` for what ``JobStore`` documents, and
/// the server's own error while it is away.
package protocol JobRecords: Sendable {
    /// Creates a job that a worker runs, or finds the running one.
    func begin(
        kind: Job.Kind, parameters: String, key: Int64?, as worker: WorkerName
    ) async throws -> (job: StoredJob, isNew: Bool)
    /// Resumes a job that was interrupted, failed or was cancelled.
    func resume(_ id: Int64, as worker: WorkerName) async throws -> StoredJob
    /// Stores the progress of a job; false when the worker no longer holds it.
    func update(_ id: Int64, _ progress: JobProgress, as worker: WorkerName) async throws -> Bool
    /// Whether a worker still holds a job.
    func isHeld(_ id: Int64, as worker: WorkerName) async throws -> Bool
    /// Ends a running job; nil for the worker ends it whichever worker holds it.
    @discardableResult
    func end(
        _ id: Int64, _ state: Job.State, progress: JobProgress?, message: String?, as worker: WorkerName?
    ) async throws -> StoredJob
    /// Returns the latest jobs, newest first.
    func list(limit: Int) async throws -> [StoredJob]
    /// Returns a job.
    func find(_ id: Int64) async throws -> StoredJob
}

extension JobStore: JobRecords {}

/// An error of a store that may be away or busy.
package protocol TransientError: Error {
    /// Whether the same call may succeed later.
    var isTransient: Bool { get }
}

extension StorageError: TransientError {
    package var isTransient: Bool { code == .busy || code == .schema }
}

extension StorageError {
    package static func noJob(_ id: Int64) -> StorageError { StorageError(.notFound, "there is no job \(id)") }

    package static func unknownKind(ofJob id: Int64) -> StorageError {
        StorageError(.notFound, "job \(id) has a kind that this version of the gateway does not know")
    }

    package static func cannotResume(_ job: Job) -> StorageError {
        StorageError(
            .conflict,
            "job \(job.id) is \(job.state.rawValue); only an interrupted, failed or cancelled job can be resumed")
    }

    package static func kindIsRunning(as id: Int64) -> StorageError {
        StorageError(.conflict, "job \(id) of the same kind is running")
    }
}

extension Job.State {
    /// Whether a job in this state can be resumed.
    package var isResumable: Bool { [.interrupted, .failed, .cancelled].contains(self) }
}
