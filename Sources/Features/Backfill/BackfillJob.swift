import GatewayAPI
package import Inference
package import JobRoom
import Storage
import Text

extension GatewayBackfill {
    /// Runs a backfill job. It waits while Ollama or PostgreSQL is away, up to an hour.
    ///
    /// - Parameter account: The account to charge; nil charges nobody.
    /// - Returns: The job's final message.
    /// - Throws: ``UpstreamError``, ``StorageError``, `CancellationError`.
    package func work(
        _ job: StoredJob, account: EmbeddingAccount?, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws -> String? {
        let request = try job.decodedParameters(as: BackfillJobRequest.self)
        let service = service(model: request.model, account: account, retriesStore: true) { options in
            options.limit = request.limit
            options.filter = QueueFilter(createdSince: request.since)
            // A stored job may predate the setting, which is the minimum.
            options.switchShare = max(switchShare, (request.at ?? 100) / 100)
            options.outageTimeout = .seconds(3600)
        }
        let summary = try await service.run { progress in
            report(
                JobProgress(
                    done: progress.done, total: progress.total, failed: progress.failed, message: progress.pause))
        }
        var message = "\(Count.of(summary.embedded, "note")) embedded with \(summary.space.space.model)"
        if summary.withheld > 0 { message += "; \(Count.of(summary.withheld, "private note")) withheld" }
        if let failure = summary.failures.first {
            message += "; \(summary.failures.count) failed, the first is note \(failure.noteID): \(failure.reason)"
        }
        return message
    }
}
