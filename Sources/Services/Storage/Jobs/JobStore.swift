import GRDB
public import GatewayAPI
public import Machine

/// Creates, updates and lists jobs. Any process may read a job; one process works on it.
public struct JobStore: Sendable {
    let database: GatewayDatabase

    /// The number of jobs to keep; older jobs that have ended are deleted.
    package static let maxJobs = 200
    /// The message of a job whose process ended first.
    package static let processEnded = "the process running the job ended"

    /// Creates a job that this process works on.
    ///
    /// - Parameter key: The key charged for the job's tokens; nil for none.
    /// - Returns: The job, and whether it is new. If a job of that kind is already running, returns that job; of kinds
    ///   that are not single, a job with the same parameters.
    public func begin(
        kind: Job.Kind, parameters: String, key: Int64? = nil, as worker: WorkerName
    ) async throws -> (job: StoredJob, isNew: Bool) {
        try await interruptDeadJobs()
        return try await database.write { database in
            if let running = try Self.running(kind, parameters, database) {
                return (running, false)
            }
            try database.execute(
                sql: """
                    INSERT INTO gateway_jobs (kind, state, parameters, owner, created_at, started_at, key_id)
                    VALUES (?, 'running', ?, ?, ?4, ?4, ?)
                    """, arguments: [kind.rawValue, parameters, worker.description, Timestamp.now, key])
            let id = database.lastInsertedRowID
            try database.execute(
                sql: """
                    DELETE FROM gateway_jobs WHERE state <> 'running' AND id NOT IN
                    (SELECT id FROM gateway_jobs ORDER BY id DESC LIMIT ?)
                    """, arguments: [Self.maxJobs])
            try database.execute(
                sql: """
                    DELETE FROM gateway_association_pairs
                    WHERE job_id NOT IN (SELECT id FROM gateway_jobs WHERE kind <> ?1 OR id = ?2)
                    """, arguments: [kind.rawValue, id])
            return (try Self.required(database, id), true)
        }
    }

    /// Resumes a job that was interrupted, failed or was cancelled.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` when the job is done or a job of its
    ///   kind is running.
    public func resume(_ id: Int64, as worker: WorkerName) async throws -> StoredJob {
        try await interruptDeadJobs()
        return try await database.write { database in
            let stored = try Self.required(database, id)
            let job = stored.job
            guard job.state.isResumable else { throw StorageError.cannotResume(job) }
            if let running = try Self.running(job.kind, stored.parameters, database) {
                throw StorageError.kindIsRunning(as: running.id)
            }
            try database.execute(
                sql: """
                    UPDATE gateway_jobs SET state = 'running', owner = ?, started_at = ?, finished_at = NULL,
                    message = NULL, revision = revision + 1 WHERE id = ?
                    """, arguments: [worker.description, Timestamp.now, id])
            return try Self.required(database, id)
        }
    }

    /// Stores the progress of a job, if the worker still holds it.
    ///
    /// - Returns: false when the job has ended.
    public func update(_ id: Int64, _ progress: JobProgress, as worker: WorkerName) async throws -> Bool {
        try await database.writeRelaxed { database in
            try database.execute(
                sql: """
                    UPDATE gateway_jobs SET done = ?, total = ?, failed = ?, message = ?, revision = revision + 1
                    WHERE id = ? AND owner = ? AND state = 'running'
                    """,
                arguments: [
                    progress.done, progress.total, progress.failed, progress.message, id, worker.description,
                ])
            return database.changesCount > 0
        }
    }

    /// Whether a worker still holds a job, that is, the job has not ended.
    public func isHeld(_ id: Int64, as worker: WorkerName) async throws -> Bool {
        try await database.read { database in
            try Scalar.count(
                database, sql: "SELECT 1 FROM gateway_jobs WHERE id = ? AND owner = ? AND state = 'running'",
                arguments: [id, worker.description]) != nil
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
    public func end(
        _ id: Int64, _ state: Job.State, progress: JobProgress? = nil, message: String? = nil,
        as worker: WorkerName? = nil
    ) async throws -> StoredJob {
        let ended = try await database.write { database in
            try database.execute(
                sql: """
                    UPDATE gateway_jobs SET state = ?1, message = coalesce(?2, message), finished_at = ?3, owner = NULL,
                    done = coalesce(?6, done), total = coalesce(?7, total), failed = coalesce(?8, failed),
                    revision = revision + 1 WHERE id = ?4 AND state = 'running' AND (?5 IS NULL OR owner = ?5)
                    """,
                arguments: [
                    state.rawValue, message ?? progress?.message, Timestamp.now, id, worker?.description,
                    progress?.done, progress?.total, progress?.failed,
                ])
            // Throwing here would roll the end back.
            return Result { try Self.required(database, id) }
        }
        return try ended.get()
    }

    /// Returns the latest jobs, newest first.
    public func list(limit: Int) async throws -> [StoredJob] {
        try await interruptDeadJobs()
        return try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM gateway_jobs ORDER BY id DESC LIMIT ?", arguments: [limit])
                .compactMap { StoredJob($0) }
        }
    }

    /// Returns a job.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    public func find(_ id: Int64) async throws -> StoredJob {
        let found = try await database.read { try Self.required($0, id) }
        guard found.job.state == .running else { return found }
        try await interruptDeadJobs()
        return try await database.read { try Self.required($0, id) }
    }

    /// Marks jobs as interrupted whose process is known to have ended.
    private func interruptDeadJobs() async throws {
        let running = try await database.read { database in
            try Row.fetchAll(database, sql: "SELECT id, owner FROM gateway_jobs WHERE state = 'running'").compactMap {
                row in
                row.integer(0).map { (id: $0, owner: WorkerName(row.text(1) ?? "")) }
            }
        }
        for job in running where job.owner.isGone {
            do {
                try await end(job.id, .interrupted, message: Self.processEnded, as: job.owner)
            } catch let error as StorageError where error.code == .notFound {
                // The job is of a kind unknown to this version.
            }
        }
    }

    private static func required(_ database: Database, _ id: Int64) throws -> StoredJob {
        guard let row = try Row.fetchOne(database, sql: "SELECT * FROM gateway_jobs WHERE id = ?", arguments: [id])
        else { throw StorageError.noJob(id) }
        guard let job = StoredJob(row) else { throw StorageError.unknownKind(ofJob: id) }
        return job
    }

    /// Returns the running job of a kind; of kinds that are not single, with the same parameters.
    private static func running(
        _ kind: Job.Kind, _ parameters: String, _ database: Database
    ) throws -> StoredJob? {
        try Row.fetchOne(
            database,
            sql: "SELECT * FROM gateway_jobs WHERE kind = ? AND state = 'running' AND (? OR parameters = ?)",
            arguments: [kind.rawValue, kind.isSingle, parameters]
        ).flatMap { StoredJob($0) }
    }
}
