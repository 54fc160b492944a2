import AssociationRoom
import GatewayAPI
package import JobRoom
import Retrieval
package import Storage

/// Finds pairs of similar notes and stores them, as a job.
package struct AssociationsJob: Sendable {
    let search: NoteSearch
    private let store: any GatewayStore

    package init(search: NoteSearch, store: any GatewayStore) {
        self.search = search
        self.store = store
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
        let pairs = store.associations
        // A block read from a damaged index file is not stored; the rest is read from the next index.
        try await search.withIntactIndex {
            let near = try await search.source.near()
            guard let space = near.space, near.count > 0 else {
                throw StorageError(.conflict, "no note has been embedded yet; run `selene backfill`")
            }
            // Vectors of different spaces are not comparable, so a job stopped before a switch starts again.
            let running = try await store.jobs.list(limit: JobRoom.maxJobs).filter { $0.job.state == .running }
            if try await pairs.begin(job.id, in: space, running: running.map(\.id)) {
                try await pairs.discard(of: job.id)
            }
            let position = try await pairs.position(of: job.id)
            try await near.pairs(options, position, nil) { block in
                try await pairs.keep(
                    block.pairs.map {
                        NotePair(first: $0.first, second: $0.second, similarity: Double($0.similarity))
                    }, of: job.id, upTo: block.lastID)
                report(JobProgress(done: block.done, total: block.total))
            }
        }
        return try await pairs.publish(of: job.id)
    }
}
