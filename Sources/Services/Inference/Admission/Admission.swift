import Synchronization
public import Transport

/// Lets so many requests through to the upstream at once, keeps so many more waiting in fair order, and refuses the
/// rest.
///
/// Interactive requests go before batch ones, and identities take turns; ``AdmissionQueue`` has the rules. A request
/// that is cancelled while it waits leaves its place at once and never reaches the upstream. May be used from any task.
public final class Admission: Sendable {
    /// The limits that hold now.
    public var limits: AdmissionLimits { state.withLock { $0.queue.limits } }

    private typealias Queue = AdmissionQueue<CheckedContinuation<Answer, Never>>

    private enum Answer: Sendable {
        case granted(AdmissionGrant)
        case refused(AdmissionRefusal)
        case cancelled
    }

    private struct State {
        var queue: Queue
        var lastRequest: UInt64 = 0
    }
    private let state: Mutex<State>

    /// Creates an admission.
    public init(limits: AdmissionLimits) {
        state = Mutex(State(queue: AdmissionQueue(limits: limits)))
    }

    /// Creates an admission with default limits for identities and batch.
    public convenience init(maxInFlight: Int, maxWaiting: Int) {
        self.init(limits: AdmissionLimits(maxInFlight: maxInFlight, maxWaiting: maxWaiting))
    }

    /// Requests that the upstream has, and requests that wait.
    public var load: (inFlight: Int, waiting: Int) { state.withLock { ($0.queue.inFlight, $0.queue.waiting) } }

    /// What waits now, and what happened so far; for metrics.
    public var snapshot: AdmissionSnapshot { state.withLock { $0.queue.snapshot } }

    /// Changes the limits. Requests that are in flight or wait already stay, also when fewer would be let in now.
    public func setLimits(_ limits: AdmissionLimits) {
        let now = ContinuousClock.now
        for next in state.withLock({ $0.queue.setLimits(limits, at: now) }) {
            next.waiter.resume(returning: .granted(next.grant))
        }
    }

    /// A place at the upstream. Releasing it twice, or dropping it, releases it once.
    public final class Permit: Sendable {
        /// How long the request waited for it.
        public var waited: Duration { grant.waited }
        /// The request's position on arrival, if nobody else had come: 1 for next; 0 when it did not wait.
        public var position: Int { grant.position }

        private let admission: Admission
        private let grant: AdmissionGrant
        private let isReleased = Mutex(false)

        fileprivate init(_ admission: Admission, _ grant: AdmissionGrant) {
            self.admission = admission
            self.grant = grant
        }

        deinit { release() }

        /// Gives the place to the next who waits.
        public func release() {
            let isFirst = isReleased.withLock { released in
                defer { released = true }
                return !released
            }
            if isFirst { admission.release(grant) }
        }
    }

    /// Waits for a place.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/overloaded`` and a time to try again when too many wait
    ///   already, or ``UpstreamError/Code/cancelled``.
    public func acquire(_ caller: AdmissionCaller) async throws(UpstreamError) -> Permit {
        if Task.isCancelled { throw .cancelled }
        let request = state.withLock { state in
            state.lastRequest += 1
            return state.lastRequest
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Answer, Never>) in
                let now = ContinuousClock.now
                switch state.withLock({ $0.queue.arrive(request, caller, at: now, waiter) }) {
                case .grant(let grant): waiter.resume(returning: .granted(grant))
                case .refuse(let refusal): waiter.resume(returning: .refused(refusal))
                case .wait:
                    // The handler below may have run before the request was there to be found.
                    if Task.isCancelled { cancel(request) }
                }
            }
        } onCancel: {
            cancel(request)
        }
        switch answer {
        case .granted(let grant):
            let permit = Permit(self, grant)
            // A place that came together with the cancellation goes to the next: the permit is dropped.
            if Task.isCancelled { throw .cancelled }
            return permit
        case .cancelled: throw .cancelled
        case .refused(let refusal): throw error(for: refusal)
        }
    }

    private func cancel(_ request: UInt64) {
        state.withLock { $0.queue.cancel(request) }?.resume(returning: .cancelled)
    }

    private func release(_ grant: AdmissionGrant) {
        let now = ContinuousClock.now
        guard let next = state.withLock({ $0.queue.release(grant, at: now) }) else { return }
        next.waiter.resume(returning: .granted(next.grant))
    }

    private func error(for refusal: AdmissionRefusal) -> UpstreamError {
        let reason =
            switch refusal.limit {
            case .total:
                "\(limits.maxInFlight) requests are in flight and \(refusal.waiting) wait"
            case .identity: "\(limits.maxWaitingPerIdentity) requests of this caller wait already"
            case .batch: "\(limits.maxWaitingBatch) batch requests wait already"
            }
        return UpstreamError(
            .overloaded, "\(reason); try again later", retryAfterSeconds: refusal.retryAfterSeconds)
    }
}
