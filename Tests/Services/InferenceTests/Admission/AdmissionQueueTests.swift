import TestSupport
import Testing

@testable import Inference

/// The order of an admission, without tasks or time of its own.
@Suite struct AdmissionOrder {
    typealias Queue = AdmissionQueue<UInt64>
    static let start = ContinuousClock.now

    /// A queue that is full, with one request of "holder" in each place.
    func full(_ limits: AdmissionLimits) -> (queue: Queue, held: [AdmissionGrant]) {
        var queue = Queue(limits: limits)
        var held: [AdmissionGrant] = []
        for request in 0..<UInt64(limits.maxInFlight) {
            guard case .grant(let grant) = queue.arrive(request, AdmissionCaller("holder"), at: Self.start, request)
            else { continue }
            held.append(grant)
        }
        return (queue, held)
    }

    /// Releases one place after the other, and says who got it.
    func drain(_ queue: inout Queue, _ first: AdmissionGrant) -> [UInt64] {
        var order: [UInt64] = []
        var grant = first
        while let next = queue.release(grant, at: Self.start) {
            order.append(next.waiter)
            grant = next.grant
        }
        return order
    }

    @Test func `identities take turns, and each keeps its own order`() {
        var (queue, held) = full(AdmissionLimits(maxInFlight: 1, maxWaiting: 100))
        for (request, identity) in zip((10..<16) as Range<UInt64>, ["a", "a", "a", "b", "b", "c"]) {
            _ = queue.arrive(request, AdmissionCaller(identity), at: Self.start, request)
        }
        #expect(drain(&queue, held[0]) == [10, 13, 15, 11, 14, 12])
        #expect(queue.inFlight == 0)
    }

    @Test(arguments: [1, 3]) func `a flood of one does not delay another by more than one service`(width: Int) {
        var (queue, held) = full(
            AdmissionLimits(maxInFlight: width, maxWaiting: 2000, maxWaitingPerIdentity: 1000))
        for request in 100..<1100 as Range<UInt64> {
            _ = queue.arrive(request, AdmissionCaller("flood"), at: Self.start, request)
        }
        // Some of the flood is being served already when the other one comes.
        for turn in 0..<5 {
            if let next = queue.release(held.removeFirst(), at: Self.start) { held.append(next.grant) }
            let newcomer = UInt64(5000 + turn)
            guard
                case .wait(let position) = queue.arrive(
                    newcomer, AdmissionCaller("other \(turn)"), at: Self.start, newcomer)
            else {
                Issue.record("it does not wait")
                return
            }
            #expect(position == 2)
            let next = queue.release(held.removeFirst(), at: Self.start)
            #expect(next?.waiter == newcomer)
            if let next { held.append(next.grant) }
        }
    }

    @Test func `interactive goes first, and batch gets one grant in eight`() {
        var (queue, held) = full(AdmissionLimits(maxInFlight: 1, maxWaiting: 1000))
        for request in 100..<120 as Range<UInt64> {
            _ = queue.arrive(request, AdmissionCaller("a", .batch), at: Self.start, request)
        }
        for request in 200..<230 as Range<UInt64> {
            _ = queue.arrive(request, AdmissionCaller("a"), at: Self.start, request)
        }
        let order = drain(&queue, held[0])
        #expect(
            order.prefix(16).map { $0 < 200 } == Array(repeating: false, count: 7) + [true]
                + Array(repeating: false, count: 7) + [true])
        #expect(order.count == 50)
        #expect(order.filter { $0 < 200 } == Array(100..<120))
        #expect(order.filter { $0 >= 200 } == Array(200..<230))
    }

    @Test func `an endless stream of new identities starves nobody`() {
        var (queue, held) = full(AdmissionLimits(maxInFlight: 1, maxWaiting: 100))
        _ = queue.arrive(1, AdmissionCaller("patient"), at: Self.start, 1)
        _ = queue.arrive(2, AdmissionCaller("patient"), at: Self.start, 2)
        var grant = held[0]
        var served: [UInt64] = []
        for newcomer in 10..<5000 as Range<UInt64> {
            _ = queue.arrive(newcomer, AdmissionCaller("\(newcomer)"), at: Self.start, newcomer)
            guard let next = queue.release(grant, at: Self.start) else { break }
            grant = next.grant
            served.append(next.waiter)
        }
        #expect(served.first == 1)
        #expect(served.contains(2))
    }

    @Test func `each limit refuses, and says when to try again`() {
        let limits = AdmissionLimits(
            maxInFlight: 2, maxWaiting: 10, maxWaitingPerIdentity: 4, maxWaitingBatch: 3)
        var (queue, held) = full(limits)
        func refusal(_ identity: String, _ priority: AdmissionPriority) -> AdmissionRefusal? {
            guard
                case .refuse(let refusal) = queue.arrive(
                    queue.statistics.refused.values.reduce(1000) { $0 + UInt64($1) }
                        + UInt64(queue.waiting) * 100, AdmissionCaller(identity, priority), at: Self.start, 0)
            else { return nil }
            return refusal
        }
        for _ in 0..<3 { #expect(refusal("a", .batch) == nil) }
        #expect(refusal("b", .batch)?.limit == .batch)
        #expect(refusal("a", .interactive) == nil)
        #expect(refusal("a", .interactive)?.limit == .identity)
        for identity in ["b", "b", "b", "b", "c", "c"] { #expect(refusal(identity, .interactive) == nil) }
        let first = refusal("d", .interactive)
        // Ten wait, two at a time, a second each as long as nothing is known.
        #expect(first == AdmissionRefusal(limit: .total, waiting: 10, retryAfterSeconds: 5))
        _ = queue.release(held[0], at: Self.start + .seconds(4))
        // Nine wait, and a service takes four seconds.
        #expect(queue.retryAfterSeconds == 18)
        _ = queue.release(held[1], at: Self.start + .seconds(1000))
        #expect(queue.retryAfterSeconds == 60)
        #expect(queue.statistics.refused == [.batch: 1, .interactive: 2])
    }

    @Test func `wider limits let those in who wait, and narrower ones wait for those who leave`() {
        var (queue, held) = full(AdmissionLimits(maxInFlight: 2, maxWaiting: 10))
        for request in UInt64(10)..<15 { _ = queue.arrive(request, AdmissionCaller("a"), at: Self.start, request) }
        let wider = queue.setLimits(AdmissionLimits(maxInFlight: 4, maxWaiting: 10), at: Self.start + .seconds(1))
        #expect(wider.map(\.waiter) == [10, 11])
        #expect(wider.first?.grant.waited == .seconds(1))
        #expect((queue.inFlight, queue.waiting) == (4, 3))
        #expect(queue.setLimits(AdmissionLimits(maxInFlight: 2, maxWaiting: 1), at: Self.start).isEmpty)
        // Nobody who waits is sent away, and nobody new may wait.
        #expect((queue.inFlight, queue.waiting) == (4, 3))
        guard case .refuse = queue.arrive(99, AdmissionCaller("b"), at: Self.start, 99) else {
            Issue.record("more wait than may")
            return
        }
        held += wider.map(\.grant)
        #expect(queue.release(held[0], at: Self.start) == nil)
        #expect(queue.release(held[1], at: Self.start) == nil)
        #expect(queue.release(held[2], at: Self.start)?.waiter == 12)
        #expect((queue.inFlight, queue.waiting) == (2, 2))
    }

    @Test func `the mean of service follows the latest, and the limits of a retry hold`() {
        var queue = Queue(limits: AdmissionLimits(maxInFlight: 1, maxWaiting: 1))
        #expect(queue.retryAfterSeconds == 1)
        for request in 0..<100 as Range<UInt64> {
            guard case .grant(let grant) = queue.arrive(request, AdmissionCaller("a"), at: Self.start, request) else {
                continue
            }
            _ = queue.release(grant, at: Self.start + .seconds(request < 50 ? 10 : 2))
        }
        let mean = queue.meanServiceSeconds ?? 0
        #expect((2..<2.1).contains(mean))
    }

    @Test func `a grant tells how long and where it waited`() {
        var (queue, held) = full(AdmissionLimits(maxInFlight: 1, maxWaiting: 10))
        _ = queue.arrive(1, AdmissionCaller("a"), at: Self.start, 1)
        _ = queue.arrive(2, AdmissionCaller("a"), at: Self.start, 2)
        let first = queue.release(held[0], at: Self.start + .milliseconds(20))
        #expect(first?.grant.waited == .milliseconds(20))
        #expect(first?.grant.position == 1)
        if let first {
            let second = queue.release(first.grant, at: Self.start + .milliseconds(50))
            #expect(second?.grant.waited == .milliseconds(50))
            #expect(second?.grant.position == 2)
        }
        let waits = queue.snapshot.statistics.waits
        #expect(waits.count == 3)
        #expect(abs(waits.sum - 0.07) < 1e-9)
        #expect(waits.counts == [1, 0, 1, 1] + Array(repeating: 0, count: 8))
    }

    @Test(.slow, arguments: 0..<6 as Range<UInt64>)
    func `ten thousand random operations agree with the slow model, within limits, starving nobody`(seed: UInt64) {
        var random = SeededGenerator(seed)
        let limits = AdmissionLimits(
            maxInFlight: Int.random(in: 1...4, using: &random), maxWaiting: Int.random(in: 0...60, using: &random),
            maxWaitingPerIdentity: seed.isMultiple(of: 2) ? 12 : nil, maxWaitingBatch: nil,
            batchShare: Int.random(in: 2...8, using: &random),
            // Without patience, models do not count.
            modelPatience: .zero)
        let identities = 8
        var queue = Queue(limits: limits)
        var model = ReferenceAdmissionQueue(limits)
        var held: [AdmissionGrant] = []
        var callers: [UInt64: AdmissionCaller] = [:]
        /// Grants since a request came, while it waits.
        var passed: [UInt64: (grants: Int, ahead: Int)] = [:]
        var lastServed: [AdmissionCaller: UInt64] = [:]
        var now = Self.start
        for request in 1...10_000 as ClosedRange<UInt64> {
            now += .milliseconds(Int.random(in: 0...30, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let caller = AdmissionCaller(
                    "\(Int.random(in: 0..<identities, using: &random))",
                    Bool.random(using: &random) ? .batch : .interactive
                ).wanting(seed.isMultiple(of: 3) ? "model \(request % 3)" : nil)
                callers[request] = caller
                let ahead = model.count(caller.priority, caller.identity)
                switch (queue.arrive(request, caller, at: now, request), model.arrive(request, caller)) {
                case (.grant(let grant), .grant): held.append(grant)
                case (.wait(let position), .wait):
                    #expect((1...queue.waiting).contains(position))
                    passed[request] = (0, ahead)
                case (.refuse(let refusal), .refuse(let limit)):
                    #expect(refusal.limit == limit)
                    #expect((1...60).contains(refusal.retryAfterSeconds))
                default: Issue.record("the model decides otherwise about \(request)")
                }
            case 5..<6:
                let victim = passed.keys.sorted().randomElement(using: &random) ?? 0
                #expect((queue.cancel(victim) != nil) == model.cancel(victim))
                passed[victim] = nil
            default:
                guard !held.isEmpty else { continue }
                let next = queue.release(held.remove(at: Int.random(in: 0..<held.count, using: &random)), at: now)
                #expect(next?.waiter == model.release())
                guard let next, let caller = callers[next.waiter] else { continue }
                held.append(next.grant)
                #expect(lastServed[caller.wanting(nil)] ?? 0 < next.waiter, "in order within an identity")
                lastServed[caller.wanting(nil)] = next.waiter
                let wait = passed.removeValue(forKey: next.waiter)
                // Its line's turn comes once in a round; batch has one grant in its share.
                let turns = ((wait?.ahead ?? 0) + 1) * (identities + 1)
                #expect(wait?.grants ?? .max <= turns * (caller.priority == .batch ? limits.batchShare : 2))
                for other in passed.keys { passed[other]?.grants += 1 }
            }
            #expect(queue.inFlight == held.count)
            #expect(queue.inFlight <= limits.maxInFlight)
            #expect(queue.waiting == model.waiting.count)
            #expect(queue.waiting <= limits.maxWaiting)
            #expect(queue.waiting == 0 || queue.inFlight == limits.maxInFlight)
        }
        for grant in held { _ = queue.release(grant, at: now).map { held.append($0.grant) } }
        let statistics = queue.statistics
        #expect(statistics.granted.values.reduce(0, +) == statistics.waits.count)
    }
}
