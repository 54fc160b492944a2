import GatewayAPI
import JobRoom
import PostgresStorage
import Retrieval
import Storage

/// The job that measures first passes of the index on the user's own vectors and uses the best.
extension IndexUpkeep {
    /// Runs the job. Returns its last message.
    ///
    /// - Throws: ``RetrievalError``, ``StorageError``, `CancellationError`.
    func tune(for job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: TuneJobRequest.self)
        var measured = 0
        let found = try await tune(sample: request.sample ?? 500) { text in
            report(JobProgress(done: measured, total: 0, message: text))
            measured += 1
        }
        report(JobProgress(done: found.count, total: found.count))
        let status = try await status()
        guard let tuning = status.tuning, status.plan != "exact" else {
            return "exact: no first pass found 99.5% of the nearest notes faster"
        }
        return
            "\(status.plan) with \(tuning.candidates) candidates: recall@10 \(tuning.recallAt10.text(4)), "
            + "\(tuning.speedup.text(1)) times as fast as exact"
    }
}

/// The same job with the notes in PostgreSQL.
extension PostgresUpkeep {
    /// Runs the job. Returns its last message.
    ///
    /// - Throws: A PostgreSQL error, `CancellationError`.
    func tune(for job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: TuneJobRequest.self)
        let found = try await VectorIndexTuning(store).tune(sample: request.sample ?? 500) { progress in
            report(JobProgress(done: progress.done, total: progress.total, message: progress.detail))
        }
        guard let last = found.last, last.recallAt10 >= VectorIndexPlan.leastRecall else {
            return "exact: no setting of the index found 99% of the nearest notes"
        }
        return "\(last.kind.rawValue) \(last.search): recall@10 \(last.recallAt10.text(4))"
    }
}

extension Double {
    /// The number with so many decimals.
    fileprivate func text(_ decimals: Int) -> String {
        let power = decimals == 4 ? 10_000.0 : 10.0
        return "\((self * power).rounded() / power)"
    }
}
