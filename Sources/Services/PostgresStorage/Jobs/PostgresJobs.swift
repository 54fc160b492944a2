package import GatewayAPI
package import Machine
package import Storage

/// Jobs that all gateways on the database share.
///
/// Whether a process of another machine has ended is not known. So a running job has a lease by the server's clock, which
/// ``update(_:_:as:)`` and ``isHeld(_:as:)`` renew. A job whose lease ended is interrupted at the next look of any
/// gateway. A unique index lets one job of a kind run.
package struct PostgresJobs: JobRecords {
    /// The message of a job whose lease ended.
    package static let leaseEnded = "the gateway running the job gave no sign of life"
    /// The maximum number of tries when jobs of a kind end and begin meanwhile.
    private static let attempts = 5

    let store: PostgresStore
    private let lease: Double

    /// - Parameter lease: How long a job is held without a sign of life.
    package init(_ store: PostgresStore, lease: Duration = .seconds(60)) {
        self.store = store
        self.lease = lease / .seconds(1)
    }

    // MARK: Beginning

    package func begin(
        kind: Job.Kind, parameters: String, key: Int64?, as worker: WorkerName
    ) async throws -> (job: StoredJob, isNew: Bool) {
        try await interruptDeadJobs()
        for _ in 0..<Self.attempts {
            let (begun, isNew) = try await store.write { connection -> (StoredJob?, Bool) in
                if let job = try await insert(kind, parameters, key, worker, connection) { return (job, true) }
                return (try await Self.running(kind, parameters, connection), false)
            }
            if let begun { return (begun, isNew) }
        }
        throw PostgresError(.serialization, "jobs of the kind \(kind.rawValue) end and begin all the time")
    }

    /// Inserts a running job and deletes old ones; nil when another one of its kind is running.
    private func insert(
        _ kind: Job.Kind, _ parameters: String, _ key: Int64?, _ worker: WorkerName, _ connection: PostgresConnection
    ) async throws -> StoredJob? {
        let rows = try await connection.run(
            """
            INSERT INTO jobs (kind, slot, state, parameters, owner, lease, created_at, started_at, key_id)
            VALUES ($1, \(Self.slot("$2::boolean", "$3")), 'running', $3, $4, \(Self.time("$5")), \(Self.now),
                \(Self.now), $6::bigint)
            ON CONFLICT (kind, slot) WHERE state = 'running' DO NOTHING RETURNING \(Self.columns)
            """,
            [
                .text(kind.rawValue), .bool(kind.isSingle), .text(parameters), .text(worker.description),
                .double(lease), PostgresValue(key),
            ])
        guard let job = Self.job(rows, 0) else { return nil }
        try await connection.run(
            "DELETE FROM jobs WHERE state <> 'running' AND id NOT IN (SELECT id FROM jobs ORDER BY id DESC LIMIT $1)",
            [.integer(Int64(JobStore.maxJobs))])
        return job
    }

    package func resume(_ id: Int64, as worker: WorkerName) async throws -> StoredJob {
        try await interruptDeadJobs()
        for _ in 0..<Self.attempts {
            do {
                return try await store.write { connection in
                    let stored = try await Self.required(id, connection, locks: true)
                    guard stored.job.state.isResumable else { throw StorageError.cannotResume(stored.job) }
                    if let running = try await Self.running(stored.job.kind, stored.parameters, connection) {
                        throw StorageError.kindIsRunning(as: running.id)
                    }
                    let rows = try await connection.run(
                        """
                        UPDATE jobs SET state = 'running', owner = $2, lease = \(Self.time("$3")),
                            started_at = \(Self.now), finished_at = NULL, message = NULL, revision = revision + 1
                        WHERE id = $1 RETURNING \(Self.columns)
                        """, [.integer(id), .text(worker.description), .double(lease)])
                    guard let job = Self.job(rows, 0) else { throw StorageError.noJob(id) }
                    return job
                }
            } catch let error as PostgresError where error.code == .conflict {
                // Another gateway began a job of the kind meanwhile; the next attempt finds it.
            }
        }
        throw PostgresError(.serialization, "jobs of the kind of job \(id) end and begin all the time")
    }

    // MARK: Running

    package func update(_ id: Int64, _ progress: JobProgress, as worker: WorkerName) async throws -> Bool {
        try await store.write { connection in
            try await connection.run(
                """
                UPDATE jobs SET done = $3, total = $4, failed = $5, message = $6::text, lease = \(Self.time("$7")),
                    revision = revision + 1
                WHERE id = $1 AND owner = $2 AND state = 'running'
                """,
                [
                    .integer(id), .text(worker.description), .integer(Int64(progress.done)),
                    .integer(Int64(progress.total)), .integer(Int64(progress.failed)), PostgresValue(progress.message),
                    .double(lease),
                ])
        }.changed > 0
    }

    /// Whether a worker still holds a job. Renews the lease when less than half of it is left.
    package func isHeld(_ id: Int64, as worker: WorkerName) async throws -> Bool {
        let held = "id = $1 AND owner = $2 AND state = 'running'"
        let values: [PostgresValue] = [.integer(id), .text(worker.description), .double(lease)]
        let rows = try await store.rows("SELECT lease < \(Self.time("$3 / 2")) FROM jobs WHERE \(held)", values)
        guard rows.bool(0, 0) == true else { return rows.count > 0 }
        return try await store.write {
            try await $0.run("UPDATE jobs SET lease = \(Self.time("$3")) WHERE \(held)", values)
        }.changed > 0
    }

    @discardableResult
    package func end(
        _ id: Int64, _ state: Job.State, progress: JobProgress?, message: String?, as worker: WorkerName?
    ) async throws -> StoredJob {
        let ended = try await store.write { connection -> Result<StoredJob, StorageError> in
            try await connection.run(
                """
                UPDATE jobs SET state = $2, message = coalesce($3::text, message), finished_at = \(Self.now),
                    owner = NULL, lease = NULL, done = coalesce($5::bigint, done), total = coalesce($6::bigint, total),
                    failed = coalesce($7::bigint, failed), revision = revision + 1
                WHERE id = $1 AND state = 'running' AND ($4::text IS NULL OR owner = $4)
                """,
                [
                    .integer(id), .text(state.rawValue), PostgresValue(message ?? progress?.message),
                    PostgresValue(worker?.description), PostgresValue((progress?.done).map(Int64.init)),
                    PostgresValue((progress?.total).map(Int64.init)),
                    PostgresValue((progress?.failed).map(Int64.init)),
                ])
            do {
                return .success(try await Self.required(id, connection))
            } catch let error as StorageError {
                // Throwing here would roll the end back.
                return .failure(error)
            }
        }
        return try ended.get()
    }

    // MARK: Reading

    package func list(limit: Int) async throws -> [StoredJob] {
        try await interruptDeadJobs()
        let rows = try await store.rows(
            "SELECT \(Self.columns) FROM jobs ORDER BY id DESC LIMIT $1", [.integer(Int64(limit))])
        return rows.indices.compactMap { Self.job(rows, $0) }
    }

    package func find(_ id: Int64) async throws -> StoredJob {
        let found = try await store.read { try await Self.required(id, $0) }
        guard found.job.state == .running else { return found }
        try await interruptDeadJobs()
        return try await store.read { try await Self.required(id, $0) }
    }

    /// Marks jobs as interrupted whose lease or process has ended.
    private func interruptDeadJobs() async throws {
        let rows = try await store.rows(
            "SELECT id, owner, \(Self.isOver) FROM jobs WHERE state = 'running'", [.double(lease)])
        for row in rows.indices {
            guard let id = rows.integer(row, 0) else { continue }
            let owner = rows.text(row, 1)
            let isGone = owner.map { WorkerName($0).isGoneFromThisBoot } ?? false
            guard isGone || rows.bool(row, 2) == true else { continue }
            // The holder may have renewed the lease meanwhile, or another gateway may have ended the job.
            try await store.write {
                try await $0.run(
                    """
                    UPDATE jobs SET state = 'interrupted', message = $4, finished_at = \(Self.now), owner = NULL,
                        lease = NULL, revision = revision + 1
                    WHERE id = $2 AND state = 'running' AND owner IS NOT DISTINCT FROM $3::text
                        AND ($5 OR \(Self.isOver))
                    """,
                    [
                        .double(lease), .integer(id), PostgresValue(owner),
                        .text(isGone ? JobStore.processEnded : Self.leaseEnded), .bool(isGone),
                    ])
            }
        }
    }
}
