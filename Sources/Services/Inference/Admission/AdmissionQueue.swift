/// A place at the upstream that was granted.
struct AdmissionGrant: Hashable {
    /// The request.
    var request: UInt64
    /// Its priority.
    var priority: AdmissionPriority
    /// How long it waited.
    var waited: Duration
    /// Its position on arrival: 1 for next; 0 when it did not wait.
    var position: Int
    /// When the place was granted.
    var grantedAt: ContinuousClock.Instant
}

/// Why a request was turned away.
struct AdmissionRefusal: Hashable {
    /// The limit that was reached.
    enum Limit: Hashable { case total, identity, batch }
    /// The limit that was reached.
    var limit: Limit
    /// Requests that wait, all together.
    var waiting: Int
    /// When a try is likely to fare better, in seconds, 1 to 60.
    var retryAfterSeconds: Int
}

/// Who goes next to the upstream: event in, action out, without I/O, locks, clocks or continuations of its own.
///
/// Interactive requests go before batch ones, which get at least one grant in ``AdmissionLimits/batchShare`` while they
/// wait; within a priority identities take turns (``AdmissionRing``). A place that comes free is granted at once, so
/// requests wait only while all places are taken. `Waiter` stands for whoever waits; an action hands it back once.
struct AdmissionQueue<Waiter> {
    /// What becomes of a request that came.
    enum ArrivalAction {
        case grant(AdmissionGrant)
        case wait(position: Int)
        case refuse(AdmissionRefusal)
    }

    private struct Waiting {
        var caller: AdmissionCaller
        var arrivedAt: ContinuousClock.Instant
        var position: Int
        var waiter: Waiter
    }

    private(set) var limits: AdmissionLimits
    private(set) var inFlight = 0
    private(set) var statistics = AdmissionStatistics()
    /// The mean time of service in seconds, recent ones counting most; nil before the first.
    private(set) var meanServiceSeconds: Double?
    private var requests: [UInt64: Waiting] = [:]
    private var interactive = AdmissionRing()
    private var batch = AdmissionRing()
    /// Interactive grants since the last batch grant, while batch waited.
    private var passedBatch = 0

    init(limits: AdmissionLimits) { self.limits = limits }

    /// Requests that wait.
    var waiting: Int { requests.count }

    /// A request came. `request` must be new.
    mutating func arrive(
        _ request: UInt64, _ caller: AdmissionCaller, at now: ContinuousClock.Instant, _ waiter: Waiter
    ) -> ArrivalAction {
        if inFlight < limits.maxInFlight {
            self[caller.priority].passed(caller.identity)
            return .grant(grant(request, caller.priority, waited: .zero, position: 0, at: now))
        }
        if let limit = exceeded(by: caller) {
            statistics.refused[caller.priority, default: 0] += 1
            return .refuse(AdmissionRefusal(limit: limit, waiting: waiting, retryAfterSeconds: retryAfterSeconds))
        }
        let position = position(of: caller)
        requests[request] = Waiting(caller: caller, arrivedAt: now, position: position, waiter: waiter)
        self[caller.priority].append(request, of: caller.identity)
        return .wait(position: position)
    }

    /// Whoever waits went away.
    ///
    /// - Returns: Its waiter; nil when the request does not wait (any more).
    mutating func cancel(_ request: UInt64) -> Waiter? {
        guard let waiting = requests.removeValue(forKey: request) else { return nil }
        _ = self[waiting.caller.priority].remove(request, of: waiting.caller.identity)
        statistics.cancelled[waiting.caller.priority, default: 0] += 1
        if batch.count == 0 { passedBatch = 0 }
        return waiting.waiter
    }

    /// A place came free.
    ///
    /// - Returns: Who has it now; nil when nobody waits.
    mutating func release(_ grant: AdmissionGrant, at now: ContinuousClock.Instant) -> (
        waiter: Waiter, grant: AdmissionGrant
    )? {
        inFlight -= 1
        let seconds = (now - grant.grantedAt).inSeconds
        meanServiceSeconds = meanServiceSeconds.map { $0 + (seconds - $0) * Self.newestWeight } ?? seconds
        return grantNext(at: now)
    }

    /// Other limits hold from now on.
    ///
    /// - Returns: Who has a place now that there are more.
    mutating func setLimits(
        _ limits: AdmissionLimits, at now: ContinuousClock.Instant
    ) -> [(waiter: Waiter, grant: AdmissionGrant)] {
        self.limits = limits
        var granted: [(waiter: Waiter, grant: AdmissionGrant)] = []
        while let next = grantNext(at: now) { granted.append(next) }
        return granted
    }

    /// Lets the next one in if there is a place: after the limit was lowered, some have to leave first.
    private mutating func grantNext(at now: ContinuousClock.Instant) -> (waiter: Waiter, grant: AdmissionGrant)? {
        guard inFlight < limits.maxInFlight, let next = takeNext(), let waiting = requests.removeValue(forKey: next)
        else { return nil }
        let granted = self.grant(
            next, waiting.caller.priority, waited: now - waiting.arrivedAt, position: waiting.position, at: now)
        return (waiting.waiter, granted)
    }

    /// How long until the queue of now has been served, by the mean time of service: 1 to 60 seconds.
    ///
    /// Before anything was served, a service counts as a second.
    var retryAfterSeconds: Int {
        let expected = Double(waiting) * (meanServiceSeconds ?? 1) / Double(limits.maxInFlight)
        return Int(min(60, max(1, expected.rounded(.up))))
    }

    /// What waits now, and what happened so far.
    var snapshot: AdmissionSnapshot {
        AdmissionSnapshot(
            inFlight: inFlight,
            waiting: [.interactive: interactive.count, .batch: batch.count],
            waitingIdentities: [.interactive: interactive.identities, .batch: batch.identities],
            meanServiceSeconds: meanServiceSeconds, statistics: statistics)
    }

    // MARK: Inside

    /// How much the latest service counts in the mean.
    private static var newestWeight: Double { 0.1 }

    private subscript(priority: AdmissionPriority) -> AdmissionRing {
        get { priority == .interactive ? interactive : batch }
        _modify {
            switch priority {
            case .interactive: yield &interactive
            case .batch: yield &batch
            }
        }
    }

    private mutating func grant(
        _ request: UInt64, _ priority: AdmissionPriority, waited: Duration, position: Int,
        at now: ContinuousClock.Instant
    ) -> AdmissionGrant {
        inFlight += 1
        statistics.granted[priority, default: 0] += 1
        statistics.waits.record(waited)
        return AdmissionGrant(request: request, priority: priority, waited: waited, position: position, grantedAt: now)
    }

    private func exceeded(by caller: AdmissionCaller) -> AdmissionRefusal.Limit? {
        if waiting >= limits.maxWaiting { return .total }
        let own = interactive.count(of: caller.identity) + batch.count(of: caller.identity)
        if own >= limits.maxWaitingPerIdentity { return .identity }
        if caller.priority == .batch, batch.count >= limits.maxWaitingBatch { return .batch }
        return nil
    }

    private func position(of caller: AdmissionCaller) -> Int {
        switch caller.priority {
        case .interactive: interactive.position(ofNext: caller.identity)
        case .batch: interactive.count + batch.position(ofNext: caller.identity)
        }
    }

    private mutating func takeNext() -> UInt64? {
        let isBatchDue = passedBatch >= limits.batchShare - 1
        if batch.count > 0, isBatchDue || interactive.count == 0 {
            passedBatch = 0
            return batch.popFirst()?.request
        }
        guard let next = interactive.popFirst() else { return nil }
        passedBatch = batch.count > 0 ? passedBatch + 1 : 0
        return next.request
    }
}

extension Duration {
    /// The duration in seconds.
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
