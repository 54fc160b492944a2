import GatewayAPI
package import Storage

extension GatewayBackfill {
    /// Does a backfill job; gives its last message.
    ///
    /// - Throws: ``UpstreamError``, ``StorageError``, `CancellationError`.
    ///
    /// - Parameter account: Who pays for what is embedded; nil for nobody.
    package func work(
        _ job: StoredJob, account: BackfillAccount?, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws -> String? {
        let request = try job.decodedParameters(as: BackfillJobRequest.self)
        let service = service(model: request.model, account: account) { options in
            options.limit = request.limit
            options.filter = QueueFilter(createdSince: request.since)
            // What was stored may be older than the setting, and the setting is the least.
            options.switchShare = max(switchShare, (request.at ?? 100) / 100)
            options.patience = .seconds(3600)
        }
        let summary = try await service.run { progress in
            report(
                JobProgress(
                    done: progress.done, total: progress.total, failed: progress.failed, message: progress.pause))
        }
        var message = "\(summary.embedded) notes embedded with \(summary.space.space.model)"
        if let failure = summary.failures.first {
            message += "; \(summary.failures.count) given up, the first one note \(failure.noteID): \(failure.reason)"
        }
        return message
    }
}
