package import GatewayAPI
package import Logging
import ServiceLifecycle
package import Storage
import Synchronization

/// Works on jobs in this process: at most one of each kind among all processes on the file.
///
/// A job's row is the truth: whoever ends it there ends the work, in whichever process, within ``lookInterval``.
package final class JobRunner: Service {
    /// How often progress is written, and how often it is looked whether the job was ended.
    static let lookInterval = Duration.milliseconds(500)

    /// Tells how far the work is; may be called as often as one likes.
    package typealias Report = @Sendable (JobProgress) -> Void
    /// The work of a job; gives its last message.
    package typealias Work = @Sendable (_ job: JobRecord, _ report: @escaping Report) async throws -> String?

    /// One run of a job in this process.
    private struct Run {
        var task: Task<Void, Never>
        var latest: LatestProgress
    }

    private struct State {
        var runs: [Int64: Run] = [:]
        var isStopping = false
    }

    package let database: GatewayDatabase
    private let logger: Logger
    private let worker = WorkerName()
    private let state = Mutex(State())
    private let work: [Job.Kind: Work]
    /// What a failure says in the job's row.
    private let describe: @Sendable (any Error) -> String

    package init(
        database: GatewayDatabase, work: [Job.Kind: Work], describe: @escaping @Sendable (any Error) -> String,
        logger: Logger
    ) {
        self.database = database
        self.work = work
        self.describe = describe
        self.logger = logger
    }

    /// Begins a job, or finds the one of its kind that runs.
    ///
    /// - Parameters:
    ///   - parameters: JSON, for the work.
    ///   - key: The key that pays for it; nil for nobody.
    /// - Throws: ``StorageError``, ``JobsAreStopping``.
    func begin(_ kind: Job.Kind, _ parameters: String, key: Int64?) async throws -> (job: JobRecord, isNew: Bool) {
        let begun = try await database.beginJob(kind: kind.rawValue, parameters: parameters, key: key, as: worker)
        if begun.isNew { try await launch(begun.job) }
        return begun
    }

    /// Goes on with a job that stopped halfway.
    func resume(_ id: Int64) async throws -> JobRecord {
        // A cancelled run may still be on its way out: what it writes must not meet the new run.
        await state.withLock { $0.runs[id]?.task }?.value
        let job = try await database.resumeJob(id, as: worker)
        try await launch(job)
        return job
    }

    /// Ends a job that runs, in whichever process; one that has ended stays as it is.
    package func cancel(_ id: Int64) async throws -> JobRecord {
        let run = state.withLock { $0.runs[id] }
        let job = try await database.endJob(id, Job.State.cancelled.rawValue, progress: run?.latest.last)
        run?.task.cancel()
        return job
    }

    /// Waits for graceful shutdown, then interrupts what runs here.
    package func run() async throws {
        try? await gracefulShutdown()
        let tasks = state.withLock { state in
            state.isStopping = true
            return state.runs.values.map(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func launch(_ job: JobRecord) async throws {
        guard let kind = Job.Kind(rawValue: job.kind), let work = work[kind] else {
            try await database.endJob(job.id, "failed", message: "this gateway knows no such work", as: worker)
            return
        }
        let isStopping = state.withLock { state in
            guard !state.isStopping else { return true }
            let latest = LatestProgress()
            let task = Task {
                await self.perform(job, work, latest)
                self.state.withLock { $0.runs[job.id] = nil }
            }
            state.runs[job.id] = Run(task: task, latest: latest)
            return false
        }
        guard isStopping else { return }
        try await database.endJob(job.id, "interrupted", message: "the server stopped", as: worker)
        throw JobsAreStopping()
    }

    private func perform(_ job: JobRecord, _ work: @escaping Work, _ latest: LatestProgress) async {
        let outcome: (state: Job.State, message: String?)
        do {
            let message = try await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask { try await work(job) { latest.set($0) } }
                group.addTask { [self] in
                    try await keepWritten(job.id, latest)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
            outcome = (.done, message)
        } catch is CancellationError {
            // Whoever ended the job has written so; this holds for the server's own end only.
            outcome = (.interrupted, "the server stopped")
        } catch {
            outcome = (.failed, describe(error))
            logger.warning("a job failed", metadata: ["job": "\(job.id)", "reason": "\(describe(error))"])
        }
        let (database, worker) = (database, worker)
        // Whether it was written before does not matter: a write of progress may have been cancelled halfway.
        let progress = latest.last
        // The task may be cancelled, and still the row has to say how it ended.
        await Task {
            do {
                try await database.endJob(
                    job.id, outcome.state.rawValue, progress: progress, message: outcome.message, as: worker)
            } catch {
                self.logger.error("a job's end cannot be written", metadata: ["job": "\(job.id)", "error": "\(error)"])
            }
        }.value
    }

    /// Writes progress now and then.
    ///
    /// - Throws: `CancellationError` when the job was ended by somebody.
    private func keepWritten(_ id: Int64, _ latest: LatestProgress) async throws {
        while true {
            try await Task.sleep(for: Self.lookInterval)
            do {
                let isOurs =
                    if let progress = latest.takeNews() {
                        try await database.updateJob(id, progress, as: worker)
                    } else {
                        try await database.hasJob(id, as: worker)
                    }
                if !isOurs { throw CancellationError() }
            } catch let error as StorageError {
                // A file that is busy for a while is no reason to end the work.
                logger.warning("a job's progress cannot be written", metadata: ["error": "\(error)"])
            }
        }
    }
}

/// No job begins any more, since the gateway is shutting down.
package struct JobsAreStopping: Error {}

/// What a run of a job said last: the only thing that is kept of all that it says.
private final class LatestProgress: Sendable {
    private let state = Mutex<(last: JobProgress?, isNews: Bool)>((nil, false))

    /// What was said last, written or not.
    var last: JobProgress? { state.withLock { $0.last } }

    func set(_ new: JobProgress) { state.withLock { $0 = (new, true) } }

    /// What was said last, once.
    func takeNews() -> JobProgress? {
        state.withLock { state in
            defer { state.isNews = false }
            return state.isNews ? state.last : nil
        }
    }
}
