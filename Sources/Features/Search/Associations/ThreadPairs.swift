import AssociationRoom
import GatewayAPI
package import JobRoom
import Retrieval
package import Storage
package import ThreadRoom

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
    private let store: any GatewayStore

    package init(search: NoteSearch, store: any GatewayStore) {
        associations = AssociationsJob(search: search, store: store)
        self.store = store
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
        let (groups, changes) = (store.threadGroups, store.changes)
        // What changes from now on counts as changed at the next run, whether this one sees it or not.
        let mark = try await changes.mark()
        let near = try await associations.search.source.near()
        var state = ThreadGroupState(space: near.space ?? 0, position: mark, isGrouped: false)
        guard state.space != 0, near.count > 0 else {
            // Another program may have stored pairs.
            state.space = 0
            return (nil, state)
        }
        let options = NearPairOptions(minSimilarity: Float(Self.minSimilarity), neighbours: Self.neighbours)
        if !again, let known = try await groups.state(), known.space == state.space,
            let changed = try await changes.ids(since: known.position, until: mark),
            changed.count <= max(Self.fewNotes, near.count / 10)
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

    private func update(
        _ notes: Set<Int64>, _ options: NearPairOptions, _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws {
        guard !notes.isEmpty else { return }
        try await associations.search.withIntactIndex {
            let near = try await associations.search.source.near()
            var pairs: [NotePair] = []
            try await near.pairs(options, nil, notes) { block in
                pairs += block.pairs.map {
                    NotePair(first: $0.first, second: $0.second, similarity: Double($0.similarity))
                }
                report(JobProgress(done: block.done, total: block.total))
            }
            try await store.associations.replace(pairs, of: notes.sorted())
        }
    }
}
