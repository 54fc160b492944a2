package import GatewayAPI
package import JobRoom
import PostgresStorage
import Retrieval
import Storage
import Synchronization

extension RetrievalService {
    package typealias JobWork =
        @Sendable (_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String?

    /// The jobs over the index of notes, by kind.
    package var jobs: [Job.Kind: JobWork] {
        let tune = TuneJob(retrieval: self).work
        // Associations are found in the index of the file.
        guard postgres == nil else { return [.tune: tune] }
        return [.associations: AssociationsJob(retrieval: self, database: database).work, .tune: tune]
    }
}

/// Measures first passes of the index on the user's own vectors and uses the best, as a job.
package struct TuneJob: Sendable {
    private let retrieval: RetrievalService

    package init(retrieval: RetrievalService) { self.retrieval = retrieval }

    /// Runs the job. Returns its last message.
    ///
    /// - Throws: ``RetrievalError``, ``StorageError``, `CancellationError`.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: TuneJobRequest.self)
        if let postgres = retrieval.postgres { return try await work(on: postgres, request, report) }
        var measured = 0
        let found = try await retrieval.tuneIndex(sample: request.sample ?? 500) { text in
            report(JobProgress(done: measured, total: 0, message: text))
            measured += 1
        }
        report(JobProgress(done: found.count, total: found.count))
        let status = try await retrieval.indexStatus()
        guard let tuning = status.tuning, status.plan != "exact" else {
            return "exact: no first pass found 99.5% of the nearest notes faster"
        }
        return
            "\(status.plan) with \(tuning.candidates) candidates: recall@10 \(Self.text(tuning.recallAt10, 4)), "
            + "\(Self.text(tuning.speedup, 1)) times as fast as exact"
    }

    private func work(
        on store: PostgresStore, _ request: TuneJobRequest, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws -> String? {
        let found = try await VectorIndexTuning(store).tune(sample: request.sample ?? 500) { progress in
            report(JobProgress(done: progress.done, total: progress.total, message: progress.detail))
        }
        guard let last = found.last, last.recallAt10 >= VectorIndexPlan.leastRecall else {
            return "exact: no setting of the index found 99% of the nearest notes"
        }
        return "\(last.kind.rawValue) \(last.search): recall@10 \(Self.text(last.recallAt10, 4))"
    }

    /// A number with so many decimals.
    private static func text(_ value: Double, _ decimals: Int) -> String {
        let power = decimals == 4 ? 10_000.0 : 10.0
        return "\((value * power).rounded() / power)"
    }
}
