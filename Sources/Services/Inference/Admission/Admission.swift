import Synchronization
package import Transport

/// Limits the requests in flight at the upstreams, queues further requests in fair order, and refuses the rest.
///
/// Interactive requests go before batch requests, and identities take turns; ``AdmissionQueue`` has the rules. A
/// request that is cancelled while it waits leaves the queue at once and never reaches an upstream. Thread-safe.
package final class Admission: Sendable {
    /// The current limits.
    package var limits: AdmissionLimits { state.withLock { $0.queue.limits } }

    private typealias Queue = AdmissionQueue<CheckedContinuation<Answer, Never>>

    private enum Answer: Sendable {
        case granted(AdmissionGrant)
        case refused(AdmissionRefusal)
        case cancelled
    }

    private struct State {
        var queue: Queue
        var lastRequest: UInt64 = 0
        var places = KnownPlaces()
        var arrivals: UInt64 = 0
        /// Work that goes on while nobody needs the upstreams; see ``whileIdle(_:)``.
        var guests: [ObjectIdentifier: IdleGuest] = [:]
        /// Who waits for that.
        var hosts: [UInt64: CheckedContinuation<Void, Never>] = [:]

        var isIdle: Bool { queue.inFlight == 0 && queue.waiting == 0 }
    }

    /// The places of all waiting requests at one time.
    private struct KnownPlaces {
        /// How long they are used, so that many readers cost one look.
        static let freshness = Duration.milliseconds(200)
        var places: [UInt64: Int] = [:]
        var at: ContinuousClock.Instant?
    }
    private let state: Mutex<State>

    package init(limits: AdmissionLimits) {
        state = Mutex(State(queue: AdmissionQueue(limits: limits)))
    }

    /// Creates an admission with default limits for identities and batch.
    package convenience init(maxInFlight: Int, maxWaiting: Int) {
        self.init(limits: AdmissionLimits(maxInFlight: maxInFlight, maxWaiting: maxWaiting))
    }

    /// The numbers of requests in flight and waiting.
    package var load: (inFlight: Int, waiting: Int) { state.withLock { ($0.queue.inFlight, $0.queue.waiting) } }

    /// How many requests arrived so far.
    package var arrivals: UInt64 { state.withLock { $0.arrivals } }

    /// The current state and counts, for metrics.
    package var snapshot: AdmissionSnapshot { state.withLock { $0.queue.snapshot } }

    /// The current place of a waiting request, 1 for next, and how many wait; nil when the request does not wait.
    func place(of request: UInt64) -> (place: Int, waiting: Int)? {
        let queue = state.withLock { $0.queue }
        return queue.place(of: request).map { ($0, queue.waiting) }
    }

    /// The place of a waiting request, 1 for next, at most ``KnownPlaces/freshness`` ago; nil when it does not wait. Costs
    /// as much for all waiting requests as for one.
    private func recentPlace(of request: UInt64) -> Int? {
        let now = ContinuousClock.now
        return state.withLock { state in
            if state.places.at.map({ now - $0 > KnownPlaces.freshness }) ?? true {
                state.places = KnownPlaces(places: state.queue.places, at: now)
            }
            return state.places.places[request]
        }
    }

    /// Changes the limits. Requests in flight or waiting stay, even above the new limits.
    package func setLimits(_ limits: AdmissionLimits) {
        let now = ContinuousClock.now
        for next in state.withLock({ $0.queue.setLimits(limits, at: now) }) {
            next.waiter.resume(returning: .granted(next.grant))
        }
    }

    /// A place at the upstreams, released by ``release()`` or when dropped, and only once.
    package final class Permit: Sendable {
        /// How long the request waited for the place.
        package var waited: Duration { grant.waited }
        /// The request's position in the queue on arrival: 1 for next; 0 when it did not wait.
        package var position: Int { grant.position }
        /// How long the request was expected to wait when it arrived; zero when it did not wait.
        package var expectedWait: Duration { .seconds(grant.expectedWait) }

        private let admission: Admission
        private let grant: AdmissionGrant
        private let isReleased = Mutex(false)

        fileprivate init(_ admission: Admission, _ grant: AdmissionGrant) {
            self.admission = admission
            self.grant = grant
        }

        deinit { release() }

        /// Gives the place to the next waiting request.
        package func release() {
            let isFirst = isReleased.withLock { released in
                defer { released = true }
                return !released
            }
            if isFirst { admission.release(grant) }
        }
    }

    /// Waits for a place.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/overloaded`` and a time to retry when too many requests
    ///   wait, or ``UpstreamError/Code/cancelled``.
    package func acquire(_ caller: AdmissionCaller) async throws(UpstreamError) -> Permit {
        try await acquire(caller, placed: nil)
    }

    /// Like ``acquire(_:)``; a request that has to wait reports to `placed` its position on arrival, 1 for next, and how
    /// its current position is looked up.
    package func acquire(
        _ caller: AdmissionCaller, placed: (@Sendable (_ place: Int, _ now: @escaping @Sendable () -> Int?) -> Void)?
    ) async throws(UpstreamError) -> Permit {
        guard let placed else { return try await acquire(caller, arrived: nil) }
        return try await acquire(
            caller,
            arrived: { request, place in placed(place) { [weak self] in self?.recentPlace(of: request) } })
    }

    /// Like ``acquire(_:placed:)``; a request that has to wait reports its number, too.
    func acquire(
        _ caller: AdmissionCaller, arrived: (@Sendable (_ request: UInt64, _ place: Int) -> Void)?
    ) async throws(UpstreamError) -> Permit {
        if Task.isCancelled { throw .cancelled }
        if let permit = acquireAtOnce(caller) { return permit }
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
                case .wait(let position):
                    arrived?(request, position)
                    // The cancellation handler may have run before the request was in the queue.
                    if Task.isCancelled { cancel(request) }
                }
            }
        } onCancel: {
            cancel(request)
        }
        switch answer {
        case .granted(let grant):
            let permit = Permit(self, grant)
            // Cancelled while the place was granted: dropping the permit gives the place to the next request.
            if Task.isCancelled { throw .cancelled }
            return permit
        case .cancelled: throw .cancelled
        case .refused(let refusal): throw error(for: refusal)
        }
    }

    /// Takes a place if one is free; nil when the request has to wait or is refused.
    package func acquireAtOnce(_ caller: AdmissionCaller) -> Permit? {
        let now = ContinuousClock.now
        let (grant, guests) = state.withLock { state in
            let grant = state.queue.grantIfFree(to: state.lastRequest &+ 1, caller, at: now).map { grant in
                state.lastRequest &+= 1
                return grant
            }
            state.arrivals &+= 1
            return (grant, state.guests.isEmpty ? nil : exchange(&state.guests, with: [:]))
        }
        // Before the request goes on, so that the upstream learns of the end first.
        guests?.values.forEach { $0.leave() }
        return grant.map { Permit(self, $0) }
    }

    // MARK: Idle work

    /// Waits until nothing is in flight and nothing waits, and then works beside the queue: the work takes no place, and is cancelled
    /// when any request arrives.
    ///
    /// - Returns: What the work returned; nil when a request arrived before its end.
    /// - Throws: What the work throws; `CancellationError` when the task is cancelled.
    package func whileIdle<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let guest = IdleGuest()
        while !enter(guest) {
            try Task.checkCancellation()
            await becomesIdle()
        }
        defer { state.withLock { _ = $0.guests.removeValue(forKey: ObjectIdentifier(guest)) } }
        let task = Task { try await work() }
        guest.stay { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        if guest.hasLeft { return nil }
        try Task.checkCancellation()
        return try result.get()
    }

    private func enter(_ guest: IdleGuest) -> Bool {
        state.withLock { state in
            guard state.isIdle else { return false }
            state.guests[ObjectIdentifier(guest)] = guest
            return true
        }
    }

    /// Waits until nothing is in flight and nothing waits, or the task is cancelled.
    private func becomesIdle() async {
        let host = state.withLock { state in
            state.lastRequest += 1
            return state.lastRequest
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    if !state.isIdle { state.hosts[host] = waiter }
                    return !state.isIdle
                }
                if !waits { return waiter.resume() }
                // The cancellation handler may have run before the waiter was stored.
                if Task.isCancelled { stopWaiting(host) }
            }
        } onCancel: {
            stopWaiting(host)
        }
    }

    private func stopWaiting(_ host: UInt64) { state.withLock { $0.hosts.removeValue(forKey: host) }?.resume() }

    private func cancel(_ request: UInt64) {
        state.withLock { $0.queue.cancel(request) }?.resume(returning: .cancelled)
    }

    private func release(_ grant: AdmissionGrant) {
        let now = ContinuousClock.now
        let (next, hosts) = state.withLock { state in
            let next = state.queue.release(grant, at: now)
            return (next, !state.hosts.isEmpty && state.isIdle ? exchange(&state.hosts, with: [:]) : nil)
        }
        hosts?.values.forEach { $0.resume() }
        if let next { next.waiter.resume(returning: .granted(next.grant)) }
    }

    private func error(for refusal: AdmissionRefusal) -> UpstreamError {
        let reason =
            switch refusal.limit {
            case .total:
                "\(limits.maxInFlight) requests are in flight and \(refusal.waiting) wait"
            case .identity: "\(limits.maxWaitingPerIdentity) requests of this caller are waiting"
            case .batch: "\(limits.maxWaitingBatch) batch requests are waiting"
            }
        return UpstreamError(
            .overloaded, "\(reason); try again later", retryAfterSeconds: refusal.retryAfterSeconds)
    }
}

/// Work that ends when a request arrives.
private final class IdleGuest: Sendable {
    private let state = Mutex((hasLeft: false, cancel: (@Sendable () -> Void)?.none))

    /// Whether a request arrived.
    var hasLeft: Bool { state.withLock { $0.hasLeft } }

    /// Says how the work is cancelled; cancels it if a request arrived before.
    func stay(_ cancel: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.cancel = cancel
            return state.hasLeft
        }
        if isLate { cancel() }
    }

    func leave() {
        let cancel = state.withLock { state in
            state.hasLeft = true
            return state.cancel
        }
        cancel?()
    }
}

private func exchange<Value>(_ place: inout Value, with new: Value) -> Value {
    let old = place
    place = new
    return old
}
