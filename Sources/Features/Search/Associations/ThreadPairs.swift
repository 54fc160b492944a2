import GatewayAPI
package import JobRoom
import Retrieval
package import Storage

/// Brings the stored pairs of similar notes up to date, for the job `threads`: all of them at first and after a change of
/// the space, later only those of notes that changed.
package struct ThreadPairs: Sendable {
    /// The least cosine of a pair.
    package static let minSimilarity = 0.7
    /// The neighbours of a note.
    static let neighbours = 10
    /// Changed notes above which all pairs are found anew, unless they are few beside all notes.
    static let fewNotes = 1000

    private let associations: AssociationsJob
    private let database: GatewayDatabase

    package init(follower: IndexFollower, database: GatewayDatabase) {
        associations = AssociationsJob(follower: follower, database: database)
        self.database = database
    }

    /// Updates the pairs.
    ///
    /// - Parameter again: Whether all pairs are found anew.
    /// - Returns: The notes whose pairs have changed, which may be new, edited or gone, nil when all may have; and how far the
    ///   pairs now are.
    /// - Throws: ``RetrievalError``, ``StorageError``, `CancellationError`.
    package func update(
        _ job: StoredJob, again: Bool, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws -> (changed: Set<Int64>?, state: ThreadGroupState) {
        let groups = database.threadGroups
        // What changes from now on counts as changed at the next run, whether this one sees it or not.
        let changeState = try await database.changes.changeState()
        let live = try await associations.follower.complete()
        var state = ThreadGroupState(space: live.space?.id ?? 0, cursor: changeState.cursor, isGrouped: false)
        let vectors = live.index.statistics.vectors
        guard state.space != 0, vectors > 0 else {
            // Another program may have stored pairs.
            state.space = 0
            return (nil, state)
        }
        let options = NearPairOptions(minSimilarity: Float(Self.minSimilarity), neighbours: Self.neighbours)
        if !again, let known = try await groups.state(), known.space == state.space,
            let changed = try await changed(since: known.cursor, until: changeState.cursor),
            changed.count <= max(Self.fewNotes, vectors / 10)
        {
            try await update(changed, options, report)
            if known.isGrouped { return (changed, state) }
        } else {
            _ = try await associations.compute(options, job, report)
        }
        // When the job stops before the notes are grouped, it need not find all pairs again.
        try await groups.set(state)
        return (nil, state)
    }

    /// The notes that changed; nil when the log does not reach back.
    private func changed(since start: ChangeCursor, until end: ChangeCursor) async throws -> Set<Int64>? {
        guard try await !database.changes.since(start, in: nil, limit: 1).needsReload else { return nil }
        var (found, cursor) = (Set<Int64>(), start)
        while cursor < end {
            try Task.checkCancellation()
            let part = try await database.changes.ids(since: cursor)
            guard part.cursor > cursor else { break }
            found.formUnion(part.ids)
            cursor = part.cursor
        }
        return found
    }

    private func update(
        _ notes: Set<Int64>, _ options: NearPairOptions, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws {
        guard !notes.isEmpty else { return }
        try await associations.follower.withIntactIndex {
            let live = try await associations.follower.complete()
            var pairs: [NotePair] = []
            try await live.index.nearPairs(options, of: notes) { block in
                pairs += block.pairs.map {
                    NotePair(first: $0.first, second: $0.second, similarity: Double($0.similarity))
                }
                report(JobProgress(done: block.done, total: block.total))
            }
            try await database.associations.replace(pairs, of: notes.sorted())
        }
    }
}
