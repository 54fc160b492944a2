import TestSupport
import Testing

@testable import Inference

/// Limits of requests in flight of one caller, and three priorities.
@Suite struct AdmissionCeilings {
    typealias Queue = AdmissionQueue<UInt64>
    static let start = ContinuousClock.now

    private static func caller(
        _ name: String, atOnce places: Int? = nil, _ priority: AdmissionPriority = .interactive
    ) -> AdmissionCaller {
        var caller = AdmissionCaller(name, priority)
        if let places { caller.ceilings = [AdmissionCeiling(name: name, places: places)] }
        return caller
    }

    private func grant(_ queue: inout Queue, _ request: UInt64, _ caller: AdmissionCaller) -> AdmissionGrant? {
        guard case .grant(let grant) = queue.arrive(request, caller, at: Self.start, request) else { return nil }
        return grant
    }

    @Test func `a caller at its limit waits beside a free place, which another one gets`() {
        var queue = Queue(limits: AdmissionLimits(maxInFlight: 3, maxWaiting: 100))
        let first = grant(&queue, 1, Self.caller("a", atOnce: 1))
        #expect(grant(&queue, 2, Self.caller("a", atOnce: 1)) == nil)
        #expect(grant(&queue, 3, Self.caller("a", atOnce: 1)) == nil)
        #expect(grant(&queue, 4, Self.caller("b")) != nil)
        #expect((queue.inFlight, queue.waiting) == (2, 2))
        #expect(queue.place(of: 2) == 1 && queue.place(of: 3) == 2 && queue.places == [2: 1, 3: 2])
        let next = first.flatMap { queue.release($0, at: Self.start) }
        #expect(next?.waiter == 2 && queue.inFlight == 2 && queue.waiting == 1)
        #expect(next.flatMap { queue.release($0.grant, at: Self.start) }?.waiter == 3)
    }

    @Test func `who is held back keeps the turn`() {
        var queue = Queue(limits: AdmissionLimits(maxInFlight: 2, maxWaiting: 100))
        let own = grant(&queue, 1, Self.caller("a", atOnce: 1))
        let other = grant(&queue, 2, Self.caller("b"))
        for request in 10..<13 as Range<UInt64> { #expect(grant(&queue, request, Self.caller("a", atOnce: 1)) == nil) }
        for request in 20..<23 as Range<UInt64> { #expect(grant(&queue, request, Self.caller("b")) == nil) }
        let third = other.flatMap { queue.release($0, at: Self.start) }
        #expect(third?.waiter == 20)
        #expect(own.flatMap { queue.release($0, at: Self.start) }?.waiter == 10)
        #expect(third.flatMap { queue.release($0.grant, at: Self.start) }?.waiter == 21)
    }

    @Test func `a key with a high priority goes first, and others get one grant in eight`() {
        var queue = Queue(limits: AdmissionLimits(maxInFlight: 1, maxWaiting: 1000))
        var held = grant(&queue, 1, Self.caller("x"))
        for request in 100..<140 as Range<UInt64> {
            _ = queue.arrive(request, Self.caller("low", .batch), at: Self.start, request)
        }
        for request in 200..<240 as Range<UInt64> {
            _ = queue.arrive(request, Self.caller("usual"), at: Self.start, request)
        }
        for request in 300..<340 as Range<UInt64> {
            _ = queue.arrive(request, Self.caller("high", .preferred), at: Self.start, request)
        }
        var order: [UInt64] = []
        while let grant = held, let next = queue.release(grant, at: Self.start) {
            order.append(next.waiter / 100)
            held = next.grant
        }
        #expect(order.count == 120)
        let beginning = order.prefix(40)
        #expect(beginning.filter { $0 == 3 }.count >= 29)
        for place in 0..<32 {
            #expect(order[place..<place + 9].contains(2) && order[place..<place + 9].contains(1), "\(order.prefix(50))")
        }
    }

    @Test func `no limit is ever exceeded, no place stays free that one may have, and everything is served`() {
        var random = SeededGenerator(11)
        for round in 0..<Gear.rounds(300) {
            let width = Int.random(in: 1...5, using: &random)
            var queue = Queue(
                limits: AdmissionLimits(
                    maxInFlight: width, maxWaiting: 200, batchShare: Int.random(in: 2...5, using: &random)))
            let names = ["a", "b", "c", "d"]
            let limits = names.map { ($0, Bool.random(using: &random) ? Int.random(in: 1...3, using: &random) : nil) }
            var (callers, waiting): ([UInt64: AdmissionCaller], [UInt64]) = ([:], [])
            var flying: [AdmissionGrant] = []
            func mayGo(_ caller: AdmissionCaller) -> Bool {
                caller.ceilings.allSatisfy { ceiling in
                    flying.count { $0.ceilings.contains { $0.name == ceiling.name } } < ceiling.places
                }
            }
            func check() {
                for (name, limit) in limits {
                    guard let limit else { continue }
                    #expect(flying.count { $0.ceilings.contains { $0.name == name } } <= limit)
                }
                #expect(flying.count == queue.inFlight && flying.count <= width)
                guard flying.count < width else { return }
                #expect(!waiting.contains { callers[$0].map(mayGo) == true }, "round \(round)")
            }
            for step in 0..<120 as Range<UInt64> {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<5:
                    guard let (name, limit) = limits.randomElement(using: &random) else { continue }
                    let priority = AdmissionPriority.allCases.randomElement(using: &random) ?? .interactive
                    let caller = Self.caller(name, atOnce: limit, priority)
                        .wanting(Bool.random(using: &random) ? ["m", "n"].randomElement(using: &random) : nil)
                    callers[step] = caller
                    switch queue.arrive(step, caller, at: Self.start, step) {
                    case .grant(let grant): flying.append(grant)
                    case .wait: waiting.append(step)
                    case .refuse: break
                    }
                case 5:
                    guard let request = waiting.randomElement(using: &random) else { continue }
                    #expect(queue.cancel(request) == request)
                    waiting.removeAll { $0 == request }
                default:
                    guard let place = flying.indices.randomElement(using: &random) else { continue }
                    if let next = queue.release(flying.remove(at: place), at: Self.start) {
                        flying.append(next.grant)
                        waiting.removeAll { $0 == next.waiter }
                    }
                }
                check()
                #expect(Set(queue.places.keys) == Set(waiting))
            }
            while !flying.isEmpty {
                if let next = queue.release(flying.removeFirst(), at: Self.start) {
                    flying.append(next.grant)
                    waiting.removeAll { $0 == next.waiter }
                }
            }
            #expect(waiting.isEmpty && queue.waiting == 0 && queue.inFlight == 0)
        }
    }
}
