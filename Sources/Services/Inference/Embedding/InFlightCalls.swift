/// Tracks which requests wait for which call. A state machine: event in, action out, without I/O, locks or tasks.
///
/// A request joins the calls in flight for its keys and begins one call for the rest. A call continues while any
/// request waits for it, and is aborted when the last one leaves. An interactive request does not join a batch call
/// that still waits for admission: its own call starts earlier. `Waiter` represents a waiting task.
struct InFlightCalls<Key: Hashable, Value, Waiter> {
    typealias CallID = UInt64

    /// The calls that a request waits for.
    struct Entry {
        /// The id of the request in each of its calls.
        var sharer: UInt64
        /// Calls that other requests began, with the keys that they answer.
        var joined: [(call: CallID, keys: [Key])] = []
        /// The call that this request must begin; nil when other calls answer all keys.
        var own: (call: CallID, keys: [Key])?
    }

    private struct Call {
        var keys: [Key]
        var priority: AdmissionPriority
        var hasPlace = false
        /// The requests that have not left; the value is nil until the request waits.
        var sharers: [UInt64: Waiter?] = [:]
        var outcome: Value?
    }

    private var calls: [CallID: Call] = [:]
    private var flights: [Key: CallID] = [:]
    private var lastNumber: UInt64 = 0

    /// The number of calls in flight.
    var count: Int { calls.values.count { $0.outcome == nil } }
    /// The number of requests in calls in flight; a request counts once for each of its calls.
    var sharerCount: Int { calls.values.reduce(0) { $0 + ($1.outcome == nil ? $1.sharers.count : 0) } }
    /// Whether the table holds no call.
    var isEmpty: Bool { calls.isEmpty && flights.isEmpty }

    /// Adds a request for unique keys. The request must leave each of its calls.
    mutating func join(_ keys: [Key], _ priority: AdmissionPriority) -> Entry {
        var entry = Entry(sharer: nextNumber())
        var places: [CallID: Int] = [:]
        var rest: [Key] = []
        for key in keys {
            guard let id = flights[key], let call = calls[id], call.hasPlace || call.priority <= priority else {
                rest.append(key)
                continue
            }
            if let place = places[id] {
                entry.joined[place].keys.append(key)
            } else {
                places[id] = entry.joined.count
                entry.joined.append((id, [key]))
                calls[id]?.sharers[entry.sharer] = .some(nil)
            }
        }
        guard !rest.isEmpty else { return entry }
        let id = nextNumber()
        calls[id] = Call(keys: rest, priority: priority, sharers: [entry.sharer: nil])
        for key in rest { flights[key] = id }
        entry.own = (id, rest)
        return entry
    }

    /// Marks a call as admitted; from now on every request may join it.
    mutating func begin(_ call: CallID) { calls[call]?.hasPlace = true }

    /// The action after a request starts to wait.
    enum WaitAction {
        case deliver(Value)
        case wait
        /// The request is not in this call, or no longer.
        case gone
    }

    /// Makes a request wait for one of its calls.
    mutating func wait(_ sharer: UInt64, for id: CallID, _ waiter: Waiter) -> WaitAction {
        guard let call = calls[id], call.sharers[sharer] != nil else { return .gone }
        if let outcome = call.outcome { return .deliver(outcome) }
        calls[id]?.sharers[sharer] = .some(waiter)
        return .wait
    }

    /// The action after a request leaves a call.
    struct LeaveAction {
        /// The waiter to resume.
        var waiter: Waiter?
        /// Whether the call must be aborted because no request is left.
        var aborts = false
    }

    /// Removes a request from a call, whether or not the call has ended. Leaving twice has no further effect.
    mutating func leave(_ sharer: UInt64, _ id: CallID) -> LeaveAction {
        guard let waiter = calls[id]?.sharers.removeValue(forKey: sharer) else { return LeaveAction() }
        guard let call = calls[id], call.sharers.isEmpty else { return LeaveAction(waiter: waiter) }
        calls[id] = nil
        guard call.outcome == nil else { return LeaveAction(waiter: waiter) }
        forget(id, call.keys)
        return LeaveAction(waiter: waiter, aborts: true)
    }

    /// Ends a call with its outcome.
    ///
    /// - Returns: The waiters to resume. Requests that wait later get the outcome at once.
    mutating func complete(_ id: CallID, _ outcome: Value) -> [Waiter] {
        guard let call = calls[id] else { return [] }
        forget(id, call.keys)
        calls[id]?.outcome = outcome
        let waiters = call.sharers.values.compactMap(\.self)
        for sharer in call.sharers.keys { calls[id]?.sharers[sharer] = .some(nil) }
        return waiters
    }

    private mutating func forget(_ id: CallID, _ keys: [Key]) {
        for key in keys where flights[key] == id { flights[key] = nil }
    }

    private mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }
}

extension AdmissionPriority: Comparable {
    /// More urgent priorities sort first.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
