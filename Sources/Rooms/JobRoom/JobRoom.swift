package import Database
package import GatewayAPI
package import Machine

extension SQLStore {
    /// The jobs of all processes on the store.
    package var jobs: JobRoom { JobRoom(self) }
}

/// Creates, updates and lists jobs. Any process may read a job; one works on it.
///
/// Of each kind one job runs at a time; of kinds that are not single, one for each set of parameters. A running job is held by
/// a ``Lease``, which ``update(_:_:as:)`` and ``renew(_:as:)`` lengthen. A job that nobody holds becomes `interrupted` at the next
/// look of any process. Methods throw ``StorageError``, and a server's own error while it is away.
package struct JobRoom: Sendable {
    /// The number of jobs to keep; older jobs that have ended are deleted.
    package static let maxJobs = 200
    /// The message of a job whose process ended first.
    package static let processEnded = "the process running the job ended"
    /// The message of a job whose lease ended.
    package static let leaseEnded = "the gateway running the job gave no sign of life"

    let store: any SQLStore
    private let lease: Duration

    /// The time between two signs of life.
    package var renewalInterval: Duration { lease / 12 }

    /// - Parameter lease: How long a job is held without a sign of life.
    package init(_ store: any SQLStore, lease: Duration = .seconds(60)) { (self.store, self.lease) = (store, lease) }

    // MARK: Beginning

    /// Creates a job that a worker runs.
    ///
    /// - Parameter key: The key charged for the job's tokens; nil for none.
    /// - Returns: The job, and whether it is new. If a job of that kind is already running, returns that job; of kinds
    ///   that are not single, a job with the same parameters.
    package func begin(
        kind: Job.Kind, parameters: String, key: Int64? = nil, as worker: WorkerName
    ) async throws -> (job: StoredJob, isNew: Bool) {
        try await interruptDeadJobs()
        return try await store.transaction { [lease] session in
            try Self.lock(session)
            if let running = try Self.running(kind, parameters, session) { return (running, false) }
            let clock = try session.clock()
            let row = try session.first(
                """
                INSERT INTO gateway_jobs (kind, state, parameters, owner, lease, created_at, started_at, key_id)
                VALUES ($1, 'running', $2, $3, $4, $5, $5, $6) RETURNING \(StoredJob.columns)
                """,
                [
                    .text(kind.rawValue), .text(parameters), .text(worker.description),
                    .integer(Lease.end(at: clock, length: lease)), .text(clock.text), .integer(key),
                ])
            guard let job = row.flatMap({ StoredJob($0) }) else {
                throw StorageError(.failed, "a new job cannot be read back")
            }
            try session.run(
                """
                DELETE FROM gateway_jobs WHERE state <> 'running' AND id NOT IN
                (SELECT id FROM gateway_jobs ORDER BY id DESC LIMIT $1)
                """, [.count(Self.maxJobs)])
            return (job, true)
        }
    }

    /// Resumes a job that was interrupted, failed or was cancelled.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` when the job is done or a job of its
    ///   kind is running.
    package func resume(_ id: Int64, as worker: WorkerName) async throws -> StoredJob {
        try await interruptDeadJobs()
        return try await store.transaction { [lease] session in
            try Self.lock(session)
            let stored = try Self.required(id, session)
            let job = stored.job
            guard [.interrupted, .failed, .cancelled].contains(job.state) else {
                throw StorageError(
                    .conflict,
                    "job \(id) is \(job.state.rawValue); only an interrupted, failed or cancelled job can be resumed")
            }
            if let running = try Self.running(job.kind, stored.parameters, session) {
                throw StorageError(.conflict, "job \(running.id) of the same kind is running")
            }
            let clock = try session.clock()
            try session.run(
                """
                UPDATE gateway_jobs SET state = 'running', owner = $1, lease = $2, started_at = $3, finished_at = NULL,
                message = NULL, revision = revision + 1 WHERE id = $4
                """,
                [
                    .text(worker.description), .integer(Lease.end(at: clock, length: lease)), .text(clock.text),
                    .integer(id),
                ])
            return try Self.required(id, session)
        }
    }

    // MARK: Running

    /// Stores the progress of a job, if the worker still holds it.
    ///
    /// - Returns: false when the job has ended.
    package func update(_ id: Int64, _ progress: JobProgress, as worker: WorkerName) async throws -> Bool {
        try await store.relaxedTransaction { [lease] session in
            let end = Lease.end(at: try session.clock(), length: lease)
            return try session.run(
                """
                UPDATE gateway_jobs SET done = $1, total = $2, failed = $3, message = $4, lease = $5,
                revision = revision + 1 WHERE id = $6 AND owner = $7 AND state = 'running'
                """,
                [
                    .count(progress.done), .count(progress.total), .count(progress.failed), .text(progress.message),
                    .integer(end), .integer(id), .text(worker.description),
                ]) > 0
        }
    }

    /// Whether a worker still holds a job, that is, the job has not ended.
    package func isHeld(_ id: Int64, as worker: WorkerName) async throws -> Bool {
        try await !store.rows(
            "SELECT id FROM gateway_jobs WHERE id = $1 AND owner = $2 AND state = 'running'",
            [.integer(id), .text(worker.description)]
        ).isEmpty
    }

    /// Gives a sign of life for a job, which is due every ``renewalInterval``.
    ///
    /// - Returns: false when the job has ended.
    package func renew(_ id: Int64, as worker: WorkerName) async throws -> Bool {
        try await store.relaxedTransaction { [lease] session in
            let end = Lease.end(at: try session.clock(), length: lease)
            return try session.run(
                "UPDATE gateway_jobs SET lease = $1 WHERE id = $2 AND owner = $3 AND state = 'running'",
                [.integer(end), .integer(id), .text(worker.description)]) > 0
        }
    }

    /// Ends a running job. One statement writes the state and the final counts; ``update(_:_:as:)`` changes nothing
    /// afterwards.
    ///
    /// - Parameters:
    ///   - state: `done`, `failed`, `cancelled` or `interrupted`.
    ///   - progress: The final counts; nil keeps those in the row.
    ///   - message: Replaces the message of `progress` and of the row; the row's message stays when both are nil.
    ///   - worker: Ends the job only if this worker holds it; nil for any worker.
    /// - Returns: The job after the change.
    /// - Throws: ``StorageError/Code/notFound``. A job of a kind unknown to this version throws too, but has ended.
    @discardableResult
    package func end(
        _ id: Int64, _ state: Job.State, progress: JobProgress? = nil, message: String? = nil,
        as worker: WorkerName? = nil
    ) async throws -> StoredJob {
        let ended = try await store.transaction { session -> Result<StoredJob, any Error> in
            try session.run(
                """
                UPDATE gateway_jobs SET state = $1, message = coalesce($2, message), finished_at = $3, owner = NULL,
                lease = NULL, done = coalesce($4, done), total = coalesce($5, total), failed = coalesce($6, failed),
                revision = revision + 1 WHERE id = $7 AND state = 'running' AND ($8 IS NULL OR owner = $8)
                """,
                [
                    .text(state.rawValue), .text(message ?? progress?.message), .text(try session.clock().text),
                    .count(progress?.done), .count(progress?.total), .count(progress?.failed), .integer(id),
                    .text(worker?.description),
                ])
            // Throwing here would roll the end back.
            return Result { try Self.required(id, session) }
        }
        return try ended.get()
    }

    // MARK: Reading

    /// Returns the latest jobs, newest first.
    package func list(limit: Int) async throws -> [StoredJob] {
        try await interruptDeadJobs()
        return try await store.rows(
            "SELECT \(StoredJob.columns) FROM gateway_jobs ORDER BY id DESC LIMIT $1", [.count(limit)]
        ).compactMap { StoredJob($0) }
    }

    /// Returns a job.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: Int64) async throws -> StoredJob {
        let found = try await stored(id)
        guard found.job.state == .running else { return found }
        try await interruptDeadJobs()
        return try await stored(id)
    }

    /// Marks jobs as interrupted that nobody holds any more.
    private func interruptDeadJobs() async throws {
        let running = try await store.rows("SELECT id FROM gateway_jobs WHERE state = 'running' LIMIT 1", [])
        guard !running.isEmpty else { return }
        let dead = try await store.snapshot { [lease] session in
            let clock = try session.clock()
            return try session.rows("SELECT id, owner, lease FROM gateway_jobs WHERE state = 'running'").filter { row in
                let held = Lease(owner: row.text(1).map { WorkerName($0) }, end: row.integer(2))
                return held.state(at: clock, length: lease, in: session.dialect) != .held
            }
        }
        for row in dead {
            guard let id = row.integer(0) else { continue }
            try await interrupt(id, of: row.text(1))
        }
    }

    /// Interrupts a job, unless its holder gave a sign of life meanwhile or another process ended it.
    private func interrupt(_ id: Int64, of owner: String?) async throws {
        try await store.transaction { [lease] session in
            let clock = try session.clock()
            let isSame = "id = $1 AND state = 'running' AND owner \(session.dialect.isSame) $2"
            let values: [SQLValue] = [.integer(id), .text(owner)]
            guard
                let row = try session.first(
                    "SELECT lease FROM gateway_jobs WHERE \(isSame)\(session.dialect.locksRows)", values)
            else { return }
            let held = Lease(owner: owner.map { WorkerName($0) }, end: row.integer(0))
            let state = held.state(at: clock, length: lease, in: session.dialect)
            guard state != .held else { return }
            try session.run(
                """
                UPDATE gateway_jobs SET state = 'interrupted', message = $3, finished_at = $4, owner = NULL, lease = NULL,
                revision = revision + 1 WHERE \(isSame)
                """,
                values + [.text(state == .processEnded ? Self.processEnded : Self.leaseEnded), .text(clock.text)])
        }
    }

    private func stored(_ id: Int64) async throws -> StoredJob {
        try Self.required(
            id, try await store.rows("SELECT \(StoredJob.columns) FROM gateway_jobs WHERE id = $1", [.integer(id)]))
    }

    private static func required(_ id: Int64, _ session: any SQLSession) throws -> StoredJob {
        try required(id, session.rows("SELECT \(StoredJob.columns) FROM gateway_jobs WHERE id = $1", [.integer(id)]))
    }

    private static func required(_ id: Int64, _ rows: [SQLRow]) throws -> StoredJob {
        guard let row = rows.first else { throw StorageError(.notFound, "there is no job \(id)") }
        guard let job = StoredJob(row) else {
            throw StorageError(.notFound, "job \(id) has a kind that this version of the gateway does not know")
        }
        return job
    }

    /// Keeps other transactions from beginning a job meanwhile.
    private static func lock(_ session: any SQLSession) throws { try session.lock("gateway_jobs") }

    /// The running job of a kind; of kinds that are not single, with the same parameters.
    private static func running(
        _ kind: Job.Kind, _ parameters: String, _ session: any SQLSession
    ) throws -> StoredJob? {
        try session.first(
            """
            SELECT \(StoredJob.columns) FROM gateway_jobs WHERE kind = $1 AND state = 'running' AND ($2 OR parameters = $3)
            """, [.text(kind.rawValue), .bool(kind.isSingle), .text(parameters)]
        ).flatMap { StoredJob($0) }
    }
}
