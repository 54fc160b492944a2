/// A granted place.
struct AdmissionGrant: Hashable {
    /// The request's number.
    var request: UInt64
    /// The request's priority.
    var priority: AdmissionPriority
    /// How long the request waited.
    var waited: Duration
    /// The request's position on arrival: 1 for next; 0 when it did not wait.
    var position: Int
    /// When the place was granted.
    var grantedAt: ContinuousClock.Instant
    /// Whether the request named its model.
    var namesModel: Bool
}

/// The refusal of a request.
struct AdmissionRefusal: Hashable {
    /// A limit of ``AdmissionLimits``.
    enum Limit: Hashable { case total, identity, batch }
    /// The limit that was reached.
    var limit: Limit
    /// The number of all waiting requests.
    var waiting: Int
    /// When a retry is likely to succeed, in seconds, 1 to 60.
    var retryAfterSeconds: Int
}

/// Decides which request goes next. Pure: it turns events into actions, without I/O, locks or clocks.
///
/// Interactive requests go before batch requests. While batch requests wait, they get at least one grant in
/// ``AdmissionLimits/batchShare``. Within a priority, identities take turns (``AdmissionRing``). A free place is
/// granted at once, so requests wait only while all places are taken. An action returns a request's `Waiter` exactly
/// once.
///
/// Requests for the model of the last grant go before their turn, so that the upstream does not swap models back and forth. At most
/// ``overtakes`` of them pass the next request of another identity, and none passes a request that came so many requests before it.
struct AdmissionQueue<Waiter> {
    /// The action for a new request.
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
    /// The moving average of the service time, in seconds; nil before the first release.
    private(set) var meanServiceSeconds: Double?
    private var requests: [UInt64: Waiting] = [:]
    private var interactive = AdmissionRing()
    private var batch = AdmissionRing()
    /// Interactive grants since the last batch grant, while batch requests wait.
    private var passedBatch = 0
    /// The model of the last grant that named one.
    private var model: String?
    /// ``meanServiceSeconds`` of requests that named their model: vectors take no time beside answers.
    private var meanModelSeconds: Double?

    init(limits: AdmissionLimits) { self.limits = limits }

    /// The number of waiting requests.
    var waiting: Int { requests.count }

    /// Grants, queues or refuses a new request. `request` must be a new number.
    mutating func arrive(
        _ request: UInt64, _ caller: AdmissionCaller, at now: ContinuousClock.Instant, _ waiter: Waiter
    ) -> ArrivalAction {
        if let grant = grantIfFree(to: request, caller, at: now) { return .grant(grant) }
        if let limit = exceeded(by: caller) {
            statistics.refused[caller.priority, default: 0] += 1
            return .refuse(AdmissionRefusal(limit: limit, waiting: waiting, retryAfterSeconds: retryAfterSeconds))
        }
        let position = position(of: caller)
        requests[request] = Waiting(caller: caller, arrivedAt: now, position: position, waiter: waiter)
        self[caller.priority].append(request, of: caller.identity)
        return .wait(position: position)
    }

    /// Grants a free place to a new request; nil when all are taken. `request` must be a new number.
    mutating func grantIfFree(
        to request: UInt64, _ caller: AdmissionCaller, at now: ContinuousClock.Instant
    ) -> AdmissionGrant? {
        guard inFlight < limits.maxInFlight else { return nil }
        self[caller.priority].passed(caller.identity)
        return grant(request, caller, waited: .zero, position: 0, at: now)
    }

    /// The number of grants until a waiting request has its place, if no other request arrives; nil when it does not
    /// wait. O(waiting).
    func place(of request: UInt64) -> Int? {
        guard requests[request] != nil else { return nil }
        var (rest, place) = (self, 0)
        while let next = rest.takeNext() {
            place += 1
            if next.request == request { return place }
        }
        return nil
    }

    /// The places of all waiting requests, as ``place(of:)`` gives them. O(waiting).
    var places: [UInt64: Int] {
        var (rest, places) = (self, [UInt64: Int]())
        while let next = rest.takeNext() { places[next.request] = places.count + 1 }
        return places
    }

    /// How many requests may go before another one out of turn: as many as the upstream serves within
    /// ``AdmissionLimits/modelPatience``.
    var overtakes: Int {
        let served = limits.modelPatience.inSeconds * Double(limits.maxInFlight) / max(0.01, meanModelSeconds ?? 1)
        return Int(min(1000, served))
    }

    /// Removes a waiting request.
    ///
    /// - Returns: The request's waiter; nil when the request is not waiting.
    mutating func cancel(_ request: UInt64) -> Waiter? {
        guard let waiting = requests.removeValue(forKey: request) else { return nil }
        _ = self[waiting.caller.priority].remove(request, of: waiting.caller.identity)
        statistics.cancelled[waiting.caller.priority, default: 0] += 1
        if batch.count == 0 { passedBatch = 0 }
        return waiting.waiter
    }

    /// Releases a place and grants it to the next request.
    ///
    /// - Returns: The next request's waiter and grant; nil when none was granted.
    mutating func release(_ grant: AdmissionGrant, at now: ContinuousClock.Instant) -> (
        waiter: Waiter, grant: AdmissionGrant
    )? {
        inFlight -= 1
        let seconds = (now - grant.grantedAt).inSeconds
        func mean(_ before: Double?) -> Double { before.map { $0 + (seconds - $0) * Self.newestWeight } ?? seconds }
        meanServiceSeconds = mean(meanServiceSeconds)
        if grant.namesModel { meanModelSeconds = mean(meanModelSeconds) }
        return grantNext(at: now)
    }

    /// Changes the limits.
    ///
    /// - Returns: The waiters and grants of requests that get a place under the new limits.
    mutating func setLimits(
        _ limits: AdmissionLimits, at now: ContinuousClock.Instant
    ) -> [(waiter: Waiter, grant: AdmissionGrant)] {
        self.limits = limits
        var granted: [(waiter: Waiter, grant: AdmissionGrant)] = []
        while let next = grantNext(at: now) { granted.append(next) }
        return granted
    }

    /// Grants a place to the next request, if a place is free: a lowered limit may be exceeded for a while.
    private mutating func grantNext(at now: ContinuousClock.Instant) -> (waiter: Waiter, grant: AdmissionGrant)? {
        guard inFlight < limits.maxInFlight, let (next, waiting) = takeNext() else { return nil }
        let granted = self.grant(
            next, waiting.caller, waited: now - waiting.arrivedAt, position: waiting.position, at: now)
        return (waiting.waiter, granted)
    }

    /// The expected time to serve the current queue, in seconds, 1 to 60.
    ///
    /// Based on the mean service time, which counts as one second before the first release.
    var retryAfterSeconds: Int {
        let expected = Double(waiting) * (meanServiceSeconds ?? 1) / Double(limits.maxInFlight)
        return Int(min(60, max(1, expected.rounded(.up))))
    }

    /// The current state and counts.
    var snapshot: AdmissionSnapshot {
        AdmissionSnapshot(
            inFlight: inFlight,
            waiting: [.interactive: interactive.count, .batch: batch.count],
            waitingIdentities: [.interactive: interactive.identities, .batch: batch.identities],
            meanServiceSeconds: meanServiceSeconds, statistics: statistics)
    }

    // MARK: Inside

    /// The weight of the latest service time in the moving average.
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
        _ request: UInt64, _ caller: AdmissionCaller, waited: Duration, position: Int,
        at now: ContinuousClock.Instant
    ) -> AdmissionGrant {
        let priority = caller.priority
        inFlight += 1
        model = caller.model ?? model
        statistics.granted[priority, default: 0] += 1
        statistics.waits.record(waited)
        return AdmissionGrant(
            request: request, priority: priority, waited: waited, position: position, grantedAt: now,
            namesModel: caller.model != nil)
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

    private mutating func takeNext() -> (request: UInt64, waiting: Waiting)? {
        let isBatchDue = passedBatch >= limits.batchShare - 1
        let priority: AdmissionPriority =
            batch.count > 0 && (isBatchDue || interactive.count == 0) ? .batch : .interactive
        guard let next = takeNext(of: priority), let waiting = requests.removeValue(forKey: next) else { return nil }
        passedBatch = priority == .interactive && batch.count > 0 ? passedBatch + 1 : 0
        model = waiting.caller.model ?? model
        return (next, waiting)
    }

    /// Takes the next request of a priority: one for the model at hand, or the one whose turn it is.
    private mutating func takeNext(of priority: AdmissionPriority) -> UInt64? {
        guard let model, let first = self[priority].first(), let wanted = requests[first]?.caller.model,
            wanted != model,
            overtakes > 0
        else { return self[priority].popFirst()?.request }
        let requests = requests
        let last = (requests.keys.min() ?? first) &+ UInt64(overtakes)
        let next = self[priority].popFirst(passing: overtakes) { $0 <= last && requests[$0]?.caller.model == model }
        return (next ?? self[priority].popFirst())?.request
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
