import Dispatch
import Synchronization

/// A queue of vector legs for passes over the matrix. A single leg starts at once. Legs that arrive while a pass runs
/// share the next pass, which reads the matrix once for all of them.
///
/// Clients that were answered together tend to ask again together. So after a shared pass the next one waits until as
/// many legs have arrived, for at most an eighth of the last pass's time.
///
/// ``HybridIndex/maxWaitingSearches`` limits how many legs wait.
final class VectorLane: Sendable {
    /// The largest number of legs in a pass.
    static let maxBatch = Kernels.maxPanelWidth

    /// The longest time that a pass waits for further legs.
    static let longestHold = Duration.microseconds(500)

    /// A waiting leg.
    struct Waiting: Sendable {
        var request: VectorRequest
        /// The snapshot's version. Only legs of one version share a pass.
        var version: UInt64
        var index: VectorIndex
        var catalog: Catalog
        /// Rows that a first pass over codes keeps.
        var candidates: Int
        var deliver: @Sendable (VectorLegResult) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var isRunning = false
        /// Calls of ``together(_:)`` that are still submitting.
        var held = 0
        /// Legs of the last pass.
        var lastBatch = 1
        /// The deadline of the wait for as many legs as in the last pass.
        var holdUntil = ContinuousClock.now
        /// The number of the current hold, to recognise outdated timers.
        var hold: UInt64 = 0

        var isHeld: Bool {
            held > 0 || (lastBatch > 1 && waiting.count < lastBatch && ContinuousClock.now < holdUntil)
        }
    }

    private let state = Mutex(State())
    private let pool: ScanPool

    init(pool: ScanPool) { self.pool = pool }

    /// Submits a leg, which is answered on a thread of the pool.
    func submit(_ leg: Waiting) {
        let first = state.withLock { state -> [Waiting]? in
            state.waiting.append(leg)
            return state.isRunning || state.isHeld ? nil : Self.next(&state)
        }
        if let first { run(first) }
    }

    /// Lets the legs that the body submits share a pass: no pass begins before the body returns.
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
            guard batch.count < maxBatch, leg.version == oldest.version, leg.request.plan == oldest.request.plan,
                leg.candidates == oldest.candidates || leg.request.plan == .exact
            else { return false }
            batch.append(leg)
            return true
        }
        return batch
    }

    private func run(_ batch: [Waiting]) {
        let (first, requests) = (batch[0], batch.map(\.request))
        let result: @Sendable (Int) -> VectorLegResult
        let participate: @Sendable () -> Void
        let maxWorkers: Int
        if first.request.plan == .exact {
            let pass = VectorPass(index: first.index, catalog: first.catalog, requests: requests)
            (maxWorkers, participate, result) = (pass.maxWorkers, pass.participate, pass.result)
        } else {
            let pass = FunnelPass(
                index: first.index, catalog: first.catalog, requests: requests, plan: first.request.plan,
                candidates: first.candidates)
            (maxWorkers, participate, result) = (pass.maxWorkers, pass.participate, pass.result)
        }
        let started = ContinuousClock.now
        pool.submit(
            ScanJob(maxWorkers: maxWorkers, participate: participate) { [self] in
                let longestHold = min(Self.longestHold, (ContinuousClock.now - started) / 8)
                guard batch.count > 1 else { return finish(batch, result) }
                // All threads share the rescoring and ranking.
                let next = Atomic(0)
                pool.submit(
                    ScanJob(maxWorkers: pool.threads) {
                        while true {
                            let number = next.add(1, ordering: .relaxed).oldValue
                            guard number < batch.count else { return }
                            batch[number].deliver(result(number))
                        }
                    } finish: { [self] in
                        hold(for: longestHold, after: batch.count)
                    })
            })
    }

    private func finish(_ batch: [Waiting], _ result: (Int) -> VectorLegResult) {
        let answer = result(0)
        // The next pass starts before this answer is delivered.
        startNext()
        batch[0].deliver(answer)
    }

    private func startNext() {
        let next = state.withLock { state in
            state.lastBatch = 1
            return Self.next(&state)
        }
        if let next { run(next) }
    }

    /// Starts the next pass when as many legs wait as shared the last one, or after `time`.
    private func hold(for time: Duration, after batch: Int) {
        let (next, number) = state.withLock { state -> ([Waiting]?, UInt64) in
            state.isRunning = false
            state.lastBatch = batch
            state.holdUntil = ContinuousClock.now + time
            state.hold += 1
            return (state.isHeld ? nil : Self.next(&state), state.hold)
        }
        if let next { return run(next) }
        let nanoseconds = Int(time / .nanoseconds(1))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [self] in
            let next = state.withLock { state -> [Waiting]? in
                guard state.hold == number, !state.isRunning, state.held == 0 else { return nil }
                return Self.next(&state)
            }
            if let next { run(next) }
        }
    }
}
