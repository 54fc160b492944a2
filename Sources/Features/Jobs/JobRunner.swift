import Database
package import GatewayAPI
package import JobRoom
package import Logging
import Machine
import ServiceLifecycle
import Storage
import Synchronization

/// Runs jobs in this process, at most one of each kind over all processes on the database, and over all gateways that share
/// the records.
///
/// A job's row is authoritative: ending a job there ends its work, in any process, within ``lookInterval``.
package final class JobRunner: Service {
    /// How often progress is written and the job's row is checked.
    static let lookInterval = Duration.milliseconds(500)
    /// How long the end of a job is tried to be written while the records are away, while the gateway runs and while it stops.
    static let (endTimeout, stopTimeout) = (Duration.seconds(300), Duration.seconds(5))

    /// Reports progress. Cheap; may be called often.
    package typealias Report = @Sendable (JobProgress) -> Void
    /// The work of a job; returns its final message.
    package typealias Work = @Sendable (_ job: StoredJob, _ report: @escaping Report) async throws -> String?

    /// One run of a job in this process.
    private struct Run {
        var task: Task<Void, Never>
        var latest: LatestProgress
    }

    private struct State {
        var runs: [Int64: Run] = [:]
        var isStopping = false
    }

    package let jobs: JobRoom
    private let logger: Logger
    private let worker = WorkerName()
    private let state = Mutex(State())
    private let work: [Job.Kind: Work]
    /// The message for a failed job's row.
    private let describe: @Sendable (any Error) -> String

    package init(
        jobs: JobRoom, work: [Job.Kind: Work], describe: @escaping @Sendable (any Error) -> String,
        logger: Logger
    ) {
        self.jobs = jobs
        self.work = work
        self.describe = describe
        self.logger = logger
    }

    /// Starts a job, or finds the running job of its kind.
    ///
    /// - Parameters:
    ///   - parameters: The work's parameters as JSON.
    ///   - key: The id of the key to charge; nil charges nobody.
    /// - Throws: ``StorageError``, ``JobsAreStopping``, an error of the shared records.
    package func begin(
        _ kind: Job.Kind, _ parameters: String, key: Int64?
    ) async throws -> (job: StoredJob, isNew: Bool) {
        let begun = try await jobs.begin(kind: kind, parameters: parameters, key: key, as: worker)
        if begun.isNew { try await launch(begun.job) }
        return begun
    }

    /// Continues a job that stopped early.
    func resume(_ id: Int64) async throws -> StoredJob {
        // A cancelled run may still be writing, which must not affect the new run.
        await state.withLock { $0.runs[id]?.task }?.value
        let job = try await jobs.resume(id, as: worker)
        try await launch(job)
        return job
    }

    /// Cancels a running job, in any process. A job that has ended does not change.
    package func cancel(_ id: Int64) async throws -> StoredJob {
        let run = state.withLock { $0.runs[id] }
        let job = try await jobs.end(id, .cancelled, progress: run?.latest.last, message: nil, as: nil)
        run?.task.cancel()
        return job
    }

    /// Waits for graceful shutdown, then interrupts this process's jobs.
    package func run() async throws {
        try? await gracefulShutdown()
        let tasks = state.withLock { state in
            state.isStopping = true
            return state.runs.values.map(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func launch(_ stored: StoredJob) async throws {
        guard let work = work[stored.job.kind] else {
            try await jobs.end(stored.id, .failed, progress: nil, message: "unknown kind of job", as: worker)
            return
        }
        let isStopping = state.withLock { state in
            guard !state.isStopping else { return true }
            let latest = LatestProgress()
            let task = Task {
                await self.perform(stored, work, latest)
                self.state.withLock { $0.runs[stored.id] = nil }
            }
            state.runs[stored.id] = Run(task: task, latest: latest)
            return false
        }
        guard isStopping else { return }
        try await jobs.end(stored.id, .interrupted, progress: nil, message: "the server stopped", as: worker)
        throw JobsAreStopping()
    }

    private func perform(_ job: StoredJob, _ work: @escaping Work, _ latest: LatestProgress) async {
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
            // If another process ended the job, its row says so already; this applies to a server shutdown only.
            outcome = (.interrupted, "the server stopped")
        } catch {
            outcome = (.failed, describe(error))
            logger.warning("a job failed", metadata: ["job": "\(job.id)", "reason": "\(describe(error))"])
        }
        // A separate task, since this one may be cancelled and the row must still say how the job ended.
        await Task { await self.writeEnd(job.id, outcome.state, outcome.message, latest) }.value
    }

    /// Writes how a job ended. While the records are away it tries again, within limits; then the job's lease ends.
    private func writeEnd(_ id: Int64, _ state: Job.State, _ message: String?, _ latest: LatestProgress) async {
        let started = ContinuousClock.now
        while true {
            do {
                // Written again even if it was written before: a write of progress may have been cancelled.
                try await jobs.end(id, state, progress: latest.last, message: message, as: worker)
                return
            } catch {
                let timeout = self.state.withLock { $0.isStopping } ? Self.stopTimeout : Self.endTimeout
                let isTransient = (error as? any TransientError)?.isTransient == true
                guard isTransient, ContinuousClock.now - started < timeout else {
                    logger.error("cannot write a job's end", metadata: ["job": "\(id)", "error": "\(error)"])
                    return
                }
            }
            try? await Task.sleep(for: Self.lookInterval)
        }
    }

    /// Looks every ``lookInterval`` whether the job was ended elsewhere, and writes the latest progress or a sign of life.
    ///
    /// - Throws: `CancellationError` when the job was ended elsewhere.
    private func keepWritten(_ id: Int64, _ latest: LatestProgress) async throws {
        var said: String?
        var written = ContinuousClock.now
        while true {
            try await Task.sleep(for: Self.lookInterval)
            let (news, now) = (latest.takeNews(), ContinuousClock.now)
            let isDue = now - written >= jobs.renewalInterval
            do {
                let isOurs =
                    if let news {
                        try await jobs.update(id, news, as: worker)
                    } else if isDue {
                        try await jobs.renew(id, as: worker)
                    } else {
                        try await jobs.isHeld(id, as: worker)
                    }
                if !isOurs { throw CancellationError() }
                if news != nil || isDue { written = now }
                said = nil
            } catch let error where !(error is CancellationError) {
                // Records that are away or busy do not end the work. It may last for hours, so it is logged once.
                if news != nil { latest.giveBack() }
                if said != "\(error)" {
                    logger.warning("cannot write a job's progress", metadata: ["error": "\(error)"])
                }
                said = "\(error)"
            }
        }
    }
}

/// Thrown for a new job while the gateway is shutting down.
package struct JobsAreStopping: Error {}

/// The latest progress of a run; earlier reports are dropped.
private final class LatestProgress: Sendable {
    private let state = Mutex<(last: JobProgress?, isNews: Bool)>((nil, false))

    /// The latest progress, written or not.
    var last: JobProgress? { state.withLock { $0.last } }

    func set(_ new: JobProgress) { state.withLock { $0 = (new, true) } }

    /// The latest progress, if it was not taken before.
    func takeNews() -> JobProgress? {
        state.withLock { state in
            defer { state.isNews = false }
            return state.isNews ? state.last : nil
        }
    }

    /// Takes back news that could not be written.
    func giveBack() { state.withLock { $0.isNews = true } }
}
