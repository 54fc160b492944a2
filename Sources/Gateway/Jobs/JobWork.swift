import Backfill
import GatewayAPI
import HTTPTypes
import Retrieval
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the kinds of jobs do.
enum JobWork {
    /// The work of each kind.
    ///
    /// - Parameter keys: The keys that pay for jobs.
    static func all(
        backfill: GatewayBackfill, retrieval: RetrievalService, database: GatewayDatabase, keys: KeyRing
    ) -> [Job.Kind: JobRunner.Work] {
        [
            .backfill: { job, report in try await embed(job, backfill, keys, report) },
            .associations: { job, report in try await associate(job, retrieval, database, report) },
        ]
    }

    /// The parameters of a job, as they were stored.
    static func parameters<Value: Decodable>(_ type: Value.Type, of job: JobRecord) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(job.parameters.utf8))
        } catch {
            throw GatewayError(.internalServerError, .internal, "the parameters of job \(job.id) cannot be read")
        }
    }

    private static func embed(
        _ job: JobRecord, _ backfill: GatewayBackfill, _ keys: KeyRing, _ report: @escaping JobRunner.Report
    ) async throws -> String? {
        let request = try parameters(BackfillJobRequest.self, of: job)
        let account = job.keyID.map { key in
            BackfillAccount(check: { try await keys.requireFunds(ofKey: key) }) { tokens in
                keys.meter.countTokens(key, prompt: tokens, completion: 0)
            }
        }
        let service = backfill.service(model: request.model, account: account) { options in
            options.limit = request.limit
            options.filter = QueueFilter(createdSince: request.since)
            // What was stored may be older than the setting, and the setting is the least.
            options.switchShare = max(backfill.switchShare, (request.at ?? 100) / 100)
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

    private static func associate(
        _ job: JobRecord, _ retrieval: RetrievalService, _ database: GatewayDatabase,
        _ report: @escaping JobRunner.Report
    ) async throws -> String? {
        let request = try parameters(AssociationsRequest.self, of: job)
        let options = NearPairOptions(
            minSimilarity: Float(request.minSimilarity ?? 0.7), neighbours: request.limit ?? 10)
        // A block that was read from a damaged index file is not kept: the rest is read from the next index.
        try await retrieval.withIntactIndex {
            let live = try await retrieval.follower.current()
            guard let space = live.space, live.index.statistics.vectors > 0 else {
                throw GatewayError(
                    .conflict, .init(rawValue: "no_vectors"), "no note has been embedded yet; run `selene backfill`")
            }
            // Pairs of another space's vectors are not comparable: a job that was stopped before a switch begins anew.
            if try await database.startsAssociations(job.id, in: space.id) {
                try await database.forgetPairs(of: job.id)
            }
            let position = try await database.jobPosition(job.id)
            try await live.index.nearPairs(options, after: position) { block in
                try await database.keepPairs(
                    block.pairs.map {
                        NotePair(first: $0.first, second: $0.second, similarity: Double($0.similarity))
                    }, of: job.id, upTo: block.lastID)
                report(JobProgress(done: block.done, total: block.total))
            }
        }
        let count = try await database.publishPairs(of: job.id)
        return "\(count) pairs"
    }
}
