import Synchronization

/// Where vector legs wait for a pass over the matrix. A lone one starts at once; those that come while a pass runs share
/// the next one, which reads the matrix once for all of them.
///
/// How many wait is bounded by ``HybridIndex/maxWaitingSearches``.
final class VectorLane: Sendable {
    /// Legs that share a pass at most.
    static let maxBatch = Kernels.maxPanelWidth

    /// A leg that waits.
    struct Waiting: Sendable {
        var request: VectorRequest
        /// Legs of one snapshot only share a pass.
        var version: UInt64
        var index: VectorIndex
        var catalog: Catalog
        /// Rows that a first pass over codes hands on.
        var candidates: Int
        var deliver: @Sendable (VectorLegResult) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var isRunning = false
        /// Calls of ``together(_:)`` that still submit.
        var held = 0
    }

    private let state = Mutex(State())
    private let pool: ScanPool

    init(pool: ScanPool) { self.pool = pool }

    /// Answers a leg soon, on a thread of the pool.
    func submit(_ leg: Waiting) {
        let first = state.withLock { state -> [Waiting]? in
            state.waiting.append(leg)
            return state.isRunning || state.held > 0 ? nil : Self.next(&state)
        }
        if let first { run(first) }
    }

    /// Lets the legs that the body submits share a pass: none begins before the body returns.
    func together(_ body: () -> Void) {
        state.withLock { $0.held += 1 }
        body()
        let first = state.withLock { state -> [Waiting]? in
            state.held -= 1
            return state.isRunning || state.held > 0 ? nil : Self.next(&state)
        }
        if let first { run(first) }
    }

    /// The oldest leg and all others that can share its pass.
    private static func next(_ state: inout State) -> [Waiting]? {
        guard let oldest = state.waiting.first else {
            state.isRunning = false
            return nil
        }
        state.isRunning = true
        var batch: [Waiting] = []
        state.waiting.removeAll { leg in
            guard batch.count < maxBatch, leg.version == oldest.version, leg.request.plan == oldest.request.plan
            else { return false }
            batch.append(leg)
            return true
        }
        return batch
    }

    private func run(_ batch: [Waiting]) {
        let (first, requests) = (batch[0], batch.map(\.request))
        let results: @Sendable () -> [VectorLegResult]
        let participate: @Sendable () -> Void
        let maxWorkers: Int
        if first.request.plan == .exact {
            let pass = VectorPass(index: first.index, catalog: first.catalog, requests: requests)
            (maxWorkers, participate, results) = (pass.maxWorkers, pass.participate, pass.results)
        } else {
            let pass = FunnelPass(
                index: first.index, catalog: first.catalog, requests: requests, plan: first.request.plan,
                candidates: first.candidates)
            (maxWorkers, participate, results) = (pass.maxWorkers, pass.participate, pass.results)
        }
        pool.submit(
            ScanJob(maxWorkers: maxWorkers, participate: participate) { [self] in
                let answers = results()
                // The next pass starts before the answers are worked up.
                if let next = state.withLock({ Self.next(&$0) }) { run(next) }
                for (leg, answer) in zip(batch, answers) { leg.deliver(answer) }
            })
    }
}
