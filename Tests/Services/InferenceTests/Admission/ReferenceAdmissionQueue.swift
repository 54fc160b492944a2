@testable import Inference

/// What an admission should do, said another way and slowly: everything that waits is in one array, and whoever is
/// next is sought in it by the number of its round and the moment at which it joined that round.
struct ReferenceAdmissionQueue {
    struct Entry {
        var request: UInt64
        var caller: AdmissionCaller
    }

    /// A priority's rounds.
    struct Rounds {
        var current = 0
        var servedIn: [String: Int] = [:]
        /// When the identities that wait joined, and which round.
        var joined: [String: (round: Int, order: Int)] = [:]
    }

    let limits: AdmissionLimits
    var inFlight = 0
    var waiting: [Entry] = []
    var rounds: [AdmissionPriority: Rounds] = [.interactive: Rounds(), .batch: Rounds()]
    var order = 0
    var passedBatch = 0

    init(_ limits: AdmissionLimits) { self.limits = limits }

    enum Arrival: Equatable { case grant, wait, refuse(AdmissionRefusal.Limit) }

    func count(_ priority: AdmissionPriority, _ identity: String? = nil) -> Int {
        waiting.filter { $0.caller.priority == priority && (identity == nil || $0.caller.identity == identity) }.count
    }

    mutating func arrive(_ request: UInt64, _ caller: AdmissionCaller) -> Arrival {
        if inFlight < limits.maxInFlight {
            inFlight += 1
            // Nobody waits, so the round that ran is over.
            rounds[caller.priority]!.current += 1
            rounds[caller.priority]!.servedIn = [caller.identity: rounds[caller.priority]!.current]
            return .grant
        }
        if waiting.count >= limits.maxWaiting { return .refuse(.total) }
        let own = waiting.filter { $0.caller.identity == caller.identity }.count
        if own >= limits.maxWaitingPerIdentity { return .refuse(.identity) }
        if caller.priority == .batch, count(.batch) >= limits.maxWaitingBatch { return .refuse(.batch) }
        waiting.append(Entry(request: request, caller: caller))
        var round = rounds[caller.priority]!
        if round.joined[caller.identity] == nil {
            order += 1
            let wasServed = round.servedIn[caller.identity] == round.current
            round.joined[caller.identity] = (round.current + (wasServed ? 1 : 0), order)
        }
        rounds[caller.priority] = round
        return .wait
    }

    mutating func cancel(_ request: UInt64) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.request == request }) else { return false }
        let caller = waiting.remove(at: index).caller
        if count(caller.priority, caller.identity) == 0 { rounds[caller.priority]!.joined[caller.identity] = nil }
        if count(.batch) == 0 { passedBatch = 0 }
        return true
    }

    mutating func release() -> UInt64? {
        inFlight -= 1
        let (interactive, batch) = (count(.interactive), count(.batch))
        if interactive + batch == 0 { return nil }
        inFlight += 1
        if batch > 0, interactive == 0 || passedBatch >= limits.batchShare - 1 {
            passedBatch = 0
            return take(.batch)
        }
        passedBatch = batch > 0 ? passedBatch + 1 : 0
        return take(.interactive)
    }

    private mutating func take(_ priority: AdmissionPriority) -> UInt64? {
        var round = rounds[priority]!
        guard let next = round.joined.min(by: { ($0.value.round, $0.value.order) < ($1.value.round, $1.value.order) })
        else { return nil }
        round.current = max(round.current, next.value.round)
        round.servedIn[next.key] = round.current
        round.joined[next.key] = nil
        guard
            let index = waiting.firstIndex(where: {
                $0.caller.wanting(nil) == AdmissionCaller(next.key, priority)
            })
        else { return nil }
        let request = waiting.remove(at: index).request
        if count(priority, next.key) > 0 {
            order += 1
            round.joined[next.key] = (round.current + 1, order)
        }
        rounds[priority] = round
        return request
    }
}
