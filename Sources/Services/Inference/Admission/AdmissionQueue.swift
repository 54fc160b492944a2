/// A granted place.
struct AdmissionGrant: Hashable {
    /// The request's number.
    var request: UInt64
    /// The request's priority.
    var priority: AdmissionPriority
    /// The limits that the request counts for while it is in flight.
    var ceilings: [AdmissionCeiling]
    /// How long the request waited.
    var waited: Duration
    /// How long it was expected to wait when it arrived, in seconds; 0 when it did not wait.
    var expectedWait: Double
    /// The request's position on arrival: 1 for next; 0 when it did not wait.
    var position: Int
    /// When the place was granted.
    var grantedAt: ContinuousClock.Instant
    /// The model that the request named.
    var model: String?
    /// The size of its prompt in bytes.
    var size: Int
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
/// Requests of a higher priority go first. While others wait, they get at least one grant in ``AdmissionLimits/batchShare``.
/// Within a priority, identities take turns (``AdmissionRing``). A free place is granted at once, so requests wait only
/// while all places are taken, or their callers' own (``AdmissionCeiling``); such a request keeps its turn until one of those is
/// free. An action returns a request's `Waiter` exactly once.
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
        var expectedWait: Double
        var waiter: Waiter
    }

    /// The largest number of waiting requests for which the order is looked through to expect a wait.
    private static var maxSimulated: Int { 16 }

    private(set) var limits: AdmissionLimits
    private(set) var inFlight = 0
    private(set) var statistics = AdmissionStatistics()
    /// The moving average of the service time, in seconds; nil before the first release.
    private(set) var meanServiceSeconds: Double?
    private var requests: [UInt64: Waiting] = [:]
    /// The waiting requests, by priority.
    private var rings = [AdmissionRing](repeating: AdmissionRing(), count: AdmissionPriority.allCases.count)
    /// Grants of higher priorities since the last of a priority, while its requests wait.
    private var passed = [Int](repeating: 0, count: AdmissionPriority.allCases.count)
    /// Requests in flight that count for a ceiling, by its name.
    private var inFlightOf: [String: Int] = [:]
    /// The model of the last grant that named one.
    private var model: String?
    /// ``meanServiceSeconds`` of requests that named their model: vectors take no time beside answers.
    private var meanModelSeconds: Double?
    private var times = ServiceTimes()
    /// The requests in flight.
    private var served: [UInt64: (model: String?, size: Int, since: ContinuousClock.Instant)] = [:]

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
        requests[request] = Waiting(
            caller: caller, arrivedAt: now, position: position, expectedWait: 0, waiter: waiter)
        self[caller.priority].append(request, of: caller.identity)
        let expected = expectedWait(of: request, at: now)
        requests[request]?.expectedWait = expected
        return .wait(position: position)
    }

    /// Grants a free place to a new request; nil when all are taken. `request` must be a new number.
    mutating func grantIfFree(
        to request: UInt64, _ caller: AdmissionCaller, at now: ContinuousClock.Instant
    ) -> AdmissionGrant? {
        guard inFlight < limits.maxInFlight, isFree(caller) else { return nil }
        self[caller.priority].passed(caller.identity)
        return grant(request, caller, waited: .zero, expectedWait: 0, position: 0, at: now)
    }

    /// The number of grants until a waiting request has its place, if no other request arrives; nil when it does not
    /// wait. O(waiting).
    func place(of request: UInt64) -> Int? {
        guard requests[request] != nil else { return nil }
        var (rest, place) = (self, 0)
        while let next = rest.takeNextAtLast() {
            place += 1
            if next.request == request { return place }
        }
        return nil
    }

    /// The places of all waiting requests, as ``place(of:)`` gives them. O(waiting).
    var places: [UInt64: Int] {
        var (rest, places) = (self, [UInt64: Int]())
        while let next = rest.takeNextAtLast() { places[next.request] = places.count + 1 }
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
        if self[waiting.caller.priority].count == 0 { passed[waiting.caller.priority.rawValue] = 0 }
        return waiting.waiter
    }

    /// Releases a place and grants it to the next request.
    ///
    /// - Returns: The next request's waiter and grant; nil when none was granted.
    mutating func release(_ grant: AdmissionGrant, at now: ContinuousClock.Instant) -> (
        waiter: Waiter, grant: AdmissionGrant
    )? {
        inFlight -= 1
        served[grant.request] = nil
        for ceiling in grant.ceilings {
            let rest = (inFlightOf[ceiling.name] ?? 1) - 1
            inFlightOf[ceiling.name] = rest > 0 ? rest : nil
        }
        let seconds = (now - grant.grantedAt).inSeconds
        func mean(_ before: Double?) -> Double { before.map { $0 + (seconds - $0) * Self.newestWeight } ?? seconds }
        meanServiceSeconds = mean(meanServiceSeconds)
        if grant.model != nil { meanModelSeconds = mean(meanModelSeconds) }
        times.learn(seconds, size: grant.size, model: grant.model)
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
        guard inFlight < limits.maxInFlight, !requests.isEmpty, let (next, waiting) = takeNext() else { return nil }
        let granted = self.grant(
            next, waiting.caller, waited: now - waiting.arrivedAt, expectedWait: waiting.expectedWait,
            position: waiting.position, at: now)
        return (waiting.waiter, granted)
    }

    /// How long a waiting request will wait if no other one arrives, in seconds: the requests in flight end as those before
    /// them did, and each place goes to the next one in the queue's order. In a long line, which would cost too much to look
    /// through with each arrival, the requests before it take the mean time.
    private func expectedWait(of request: UInt64, at now: ContinuousClock.Instant) -> Double {
        guard waiting <= Self.maxSimulated else {
            return Double(requests[request]?.position ?? waiting) * times.mean / Double(limits.maxInFlight)
        }
        func seconds(_ caller: AdmissionCaller) -> Double { times.expected(size: caller.size, model: caller.model) }
        // When each place is free, the first at the end.
        var free = served.values.map { times.rest(of: $0.size, model: $0.model, after: (now - $0.since).inSeconds) }
        free.append(contentsOf: repeatElement(0, count: max(0, min(waiting, limits.maxInFlight - free.count))))
        free.sort(by: >)
        var rest = self
        while let next = rest.takeNextAtLast(), let earliest = free.popLast() {
            if next.request == request { return earliest }
            let end = earliest + seconds(next.waiting.caller)
            free.insert(end, at: free.partitioningIndex { $0 <= end })
        }
        return 0
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
        func each<Value>(_ value: (AdmissionRing) -> Value) -> [AdmissionPriority: Value] {
            Dictionary(uniqueKeysWithValues: AdmissionPriority.allCases.map { ($0, value(self[$0])) })
        }
        return AdmissionSnapshot(
            inFlight: inFlight, waiting: each(\.count), waitingIdentities: each(\.identities),
            meanServiceSeconds: meanServiceSeconds, statistics: statistics)
    }

    // MARK: Inside

    /// The weight of the latest service time in the moving average.
    private static var newestWeight: Double { 0.1 }

    private subscript(priority: AdmissionPriority) -> AdmissionRing {
        get { rings[priority.rawValue] }
        _modify { yield &rings[priority.rawValue] }
    }

    private mutating func grant(
        _ request: UInt64, _ caller: AdmissionCaller, waited: Duration, expectedWait: Double, position: Int,
        at now: ContinuousClock.Instant
    ) -> AdmissionGrant {
        let priority = caller.priority
        inFlight += 1
        served[request] = (caller.model, caller.size, now)
        for ceiling in caller.ceilings { inFlightOf[ceiling.name, default: 0] += 1 }
        model = caller.model ?? model
        statistics.granted[priority, default: 0] += 1
        statistics.waits.record(waited)
        return AdmissionGrant(
            request: request, priority: priority, ceilings: caller.ceilings, waited: waited, expectedWait: expectedWait,
            position: position, grantedAt: now, model: caller.model, size: caller.size)
    }

    private func exceeded(by caller: AdmissionCaller) -> AdmissionRefusal.Limit? {
        if waiting >= limits.maxWaiting { return .total }
        let own = rings.reduce(0) { $0 + $1.count(of: caller.identity) }
        if own >= limits.maxWaitingPerIdentity { return .identity }
        if caller.priority == .batch, self[.batch].count >= limits.maxWaitingBatch { return .batch }
        return nil
    }

    private func position(of caller: AdmissionCaller) -> Int {
        let before = rings[..<caller.priority.rawValue].reduce(0) { $0 + $1.count }
        return before + self[caller.priority].position(ofNext: caller.identity)
    }

    /// Whether a request may be in flight, as far as the limits of its caller go.
    private func isFree(_ caller: AdmissionCaller) -> Bool {
        caller.ceilings.allSatisfy { inFlightOf[$0.name, default: 0] < $0.places }
    }

    /// The next request; those that their callers' limits hold back come at last.
    private mutating func takeNextAtLast() -> (request: UInt64, waiting: Waiting)? {
        if let next = takeNext() { return next }
        inFlightOf = [:]
        return takeNext()
    }

    private mutating func takeNext() -> (request: UInt64, waiting: Waiting)? {
        let all = AdmissionPriority.allCases
        // A priority that was passed over for long enough is due, the lowest first.
        let due = all.reversed().filter { passed[$0.rawValue] >= limits.batchShare - 1 }
        for priority in due + all.filter({ !due.contains($0) }) where self[priority].count > 0 {
            guard let next = takeNext(of: priority), let waiting = requests.removeValue(forKey: next) else { continue }
            for lower in all where lower.rawValue > priority.rawValue {
                passed[lower.rawValue] = self[lower].count > 0 ? passed[lower.rawValue] + 1 : 0
            }
            passed[priority.rawValue] = 0
            model = waiting.caller.model ?? model
            return (next, waiting)
        }
        return nil
    }

    /// Takes the next request of a priority that its caller's limits allow: one for the model at hand, or the one whose turn it is.
    private mutating func takeNext(of priority: AdmissionPriority) -> UInt64? {
        let (requests, inFlightOf) = (requests, inFlightOf)
        func isFree(_ request: UInt64) -> Bool {
            inFlightOf.isEmpty
                || requests[request].map {
                    $0.caller.ceilings.allSatisfy { inFlightOf[$0.name, default: 0] < $0.places }
                } == true
        }
        guard let first = self[priority].first(where: isFree) else { return nil }
        if let model, let wanted = requests[first]?.caller.model, wanted != model, overtakes > 0 {
            let last = (requests.keys.min() ?? first) &+ UInt64(overtakes)
            let next = self[priority].popFirst(passing: overtakes) {
                $0 <= last && requests[$0]?.caller.model == model && isFree($0)
            }
            if let next { return next.request }
        }
        return self[priority].popFirst(where: isFree)?.request
    }
}

extension [Double] {
    /// The first place whose number satisfies a condition, which all behind it satisfy, too.
    fileprivate func partitioningIndex(where isBehind: (Double) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
