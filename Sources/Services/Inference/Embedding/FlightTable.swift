/// Who waits for which call: event in, action out, without I/O, locks or tasks of its own.
///
/// A request that wants keys joins the calls that are under way for them and begins one call for the rest. A call goes
/// on as long as anybody waits for it, and is aborted when the last one leaves. An interactive request does not join a
/// batch call that itself still waits for a place: it would wait longer than by itself. `Waiter` stands for a task.
struct FlightTable<Key: Hashable, Value, Waiter> {
    /// A call's number.
    typealias CallID = UInt64

    /// What a request waits for.
    struct Entry {
        /// Its number among those who wait.
        var sharer: UInt64
        /// Calls that others began, with the keys that they answer.
        var joined: [(call: CallID, keys: [Key])] = []
        /// The call that it has to begin; nil when others answer all keys.
        var own: (call: CallID, keys: [Key])?
    }

    private struct Call {
        var keys: [Key]
        var priority: AdmissionPriority
        var hasPlace = false
        /// Those who have not left: nil until they wait.
        var sharers: [UInt64: Waiter?] = [:]
        var outcome: Value?
    }

    private var calls: [CallID: Call] = [:]
    private var flights: [Key: CallID] = [:]
    private var lastNumber: UInt64 = 0

    /// Calls that have not ended.
    var count: Int { calls.values.count { $0.outcome == nil } }
    /// Requests that are in calls which have not ended; one counts for each of its calls.
    var sharerCount: Int { calls.values.reduce(0) { $0 + ($1.outcome == nil ? $1.sharers.count : 0) } }
    /// Whether nothing is remembered.
    var isEmpty: Bool { calls.isEmpty && flights.isEmpty }

    /// A request wants keys, each named once. It must leave every call that it is in, in the end.
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

    /// A call has its place at the upstream; from now on everybody may join it.
    mutating func begin(_ call: CallID) { calls[call]?.hasPlace = true }

    /// What a request that waits gets.
    enum WaitAction {
        case deliver(Value)
        case wait
        /// It is in no such call (any more).
        case gone
    }

    /// A request waits for a call that it is in.
    mutating func wait(_ sharer: UInt64, for id: CallID, _ waiter: Waiter) -> WaitAction {
        guard let call = calls[id], call.sharers[sharer] != nil else { return .gone }
        if let outcome = call.outcome { return .deliver(outcome) }
        calls[id]?.sharers[sharer] = .some(waiter)
        return .wait
    }

    /// What follows when a request leaves a call.
    struct LeaveAction {
        /// The one who waited.
        var waiter: Waiter?
        /// Whether nobody is left, so that the call has to be aborted.
        var aborts = false
    }

    /// A request leaves a call, because it has what it wanted or wants it no more. Leaving twice is leaving once.
    mutating func leave(_ sharer: UInt64, _ id: CallID) -> LeaveAction {
        guard let waiter = calls[id]?.sharers.removeValue(forKey: sharer) else { return LeaveAction() }
        guard let call = calls[id], call.sharers.isEmpty else { return LeaveAction(waiter: waiter) }
        calls[id] = nil
        guard call.outcome == nil else { return LeaveAction(waiter: waiter) }
        forget(id, call.keys)
        return LeaveAction(waiter: waiter, aborts: true)
    }

    /// A call ended.
    ///
    /// - Returns: Who waits for it; those who have not begun to wait find the outcome when they do.
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
    /// What is more urgent comes first.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
