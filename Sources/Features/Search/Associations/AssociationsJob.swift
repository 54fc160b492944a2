import GatewayAPI
package import JobRoom
import Retrieval
package import Storage

/// Finds pairs of similar notes and stores them, as a job.
package struct AssociationsJob: Sendable {
    let follower: IndexFollower
    private let database: GatewayDatabase

    package init(follower: IndexFollower, database: GatewayDatabase) {
        self.follower = follower
        self.database = database
    }

    /// Runs the job. Returns its last message.
    ///
    /// - Throws: ``RetrievalError``, ``StorageError``, `CancellationError`.
    package func work(_ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void) async throws -> String? {
        let request = try job.decodedParameters(as: AssociationsRequest.self)
        let options = NearPairOptions(
            minSimilarity: Float(request.minSimilarity ?? 0.7), neighbours: request.limit ?? 10)
        return "\(try await compute(options, job, report)) pairs"
    }

    /// Finds all pairs and replaces the stored ones. Goes on where the job stopped. Returns the number of pairs.
    func compute(
        _ options: NearPairOptions, _ job: StoredJob, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws -> Int {
        // A block read from a damaged index file is not stored; the rest is read from the next index.
        try await follower.withIntactIndex {
            let live = try await follower.complete()
            guard let space = live.space, live.index.statistics.vectors > 0 else {
                throw StorageError(.conflict, "no note has been embedded yet; run `selene backfill`")
            }
            // Vectors of different spaces are not comparable, so a job stopped before a switch starts again.
            if try await database.associations.begin(job.id, in: space.id) {
                try await database.associations.discard(of: job.id)
            }
            let position = try await database.associations.position(of: job.id)
            try await live.index.nearPairs(options, after: position) { block in
                try await database.associations.keep(
                    block.pairs.map {
                        NotePair(first: $0.first, second: $0.second, similarity: Double($0.similarity))
                    }, of: job.id, upTo: block.lastID)
                report(JobProgress(done: block.done, total: block.total))
            }
        }
        return try await database.associations.publish(of: job.id)
    }
}
