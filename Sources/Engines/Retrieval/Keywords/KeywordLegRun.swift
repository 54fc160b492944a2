import Synchronization

/// Runs a keyword leg on the threads of a pool: first the terms, then windows of rows, each on whichever thread is free.
final class KeywordLegRun: Sendable {
    /// With fewer documents one thread is as fast as several.
    static let leastDocuments = 16_384
    /// Windows that a thread takes at once.
    private static let windows = 8

    private let search: KeywordSearch
    private let pool: ScanPool
    private let complete: @Sendable (KeywordLeg) -> Void
    private let next = Atomic(0)
    private let state = Mutex(State())

    private struct State {
        /// By number of the seek, then by part.
        var found: [Int: [TermSearch]] = [:]
        var best: KeywordBest?
    }

    private let threshold = SharedThreshold()

    /// Starts a leg. The closure is called once, on a thread of the pool.
    ///
    /// - Parameter leastDocuments: The number of documents from which on several threads are used.
    static func start(
        _ search: KeywordSearch, on pool: ScanPool, leastDocuments: Int = leastDocuments,
        _ complete: @escaping @Sendable (KeywordLeg) -> Void
    ) {
        guard search.index.count >= leastDocuments, pool.threads > 1 else {
            return pool.submit(ScanJob(maxWorkers: 1, participate: { complete(search.run()) }, finish: {}))
        }
        KeywordLegRun(search, on: pool, complete).seek()
    }

    private init(_ search: KeywordSearch, on pool: ScanPool, _ complete: @escaping @Sendable (KeywordLeg) -> Void) {
        self.search = search
        self.pool = pool
        self.complete = complete
    }

    private func seek() {
        pool.submit(
            ScanJob(maxWorkers: min(pool.threads, max(1, search.seeks.count))) { [self] in
                while true {
                    let number = next.add(1, ordering: .relaxed).oldValue
                    guard number < search.seeks.count else { return }
                    let found = search.find(search.seeks[number])
                    state.withLock { $0.found[number] = found }
                }
            } finish: { [self] in
                score()
            })
    }

    private func score() {
        let found = state.withLock { $0.found }
        let parts = search.prunedSearches(search.seeks.indices.map { found[$0] ?? [] })
        state.withLock { $0.best = KeywordBest(search.wanted) }
        threshold.raise(to: search.firstThreshold(of: parts))
        // Each piece is some windows of a part.
        let pieces = parts.flatMap { part in
            stride(from: 0, to: part.windows, by: Self.windows).map { start in
                (part, start..<min(part.windows, start + Self.windows))
            }
        }
        next.store(0, ordering: .relaxed)
        pool.submit(
            ScanJob(maxWorkers: min(pool.threads, max(1, pieces.count))) { [self] in
                var best = KeywordBest(search.wanted)
                while true {
                    let number = next.add(1, ordering: .relaxed).oldValue
                    guard number < pieces.count else { break }
                    pieces[number].0.search(pieces[number].1, into: &best, threshold: threshold)
                }
                state.withLock { $0.best?.merge(best) }
            } finish: { [self] in
                let best = state.withLock { $0.best } ?? KeywordBest(0)
                complete(search.leg(of: best, found: search.seeks.indices.map { found[$0] ?? [] }))
            })
    }
}
