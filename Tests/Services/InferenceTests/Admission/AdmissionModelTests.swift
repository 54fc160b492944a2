import TestSupport
import Testing

@testable import Inference

/// The order of requests for several models, of which the upstream holds one.
@Suite struct AdmissionModels {
    typealias Queue = AdmissionQueue<UInt64>
    static let start = ContinuousClock.now

    /// A queue with one place, taken by a request for "a" that takes a second.
    private func full(patience: Duration, waiting: Int = 1000) -> (queue: Queue, held: AdmissionGrant)? {
        var queue = Queue(
            limits: AdmissionLimits(
                maxInFlight: 1, maxWaiting: waiting, maxWaitingPerIdentity: waiting, modelPatience: patience))
        guard case .grant(let first) = queue.arrive(0, AdmissionCaller("x").wanting("a"), at: Self.start, 0) else {
            return nil
        }
        return (queue, first)
    }

    /// Releases one place after the other, each after a second, and says who got it.
    private func drain(
        _ queue: inout Queue, _ first: AdmissionGrant, from now: ContinuousClock.Instant = start
    ) -> [UInt64] {
        var (order, grant, now) = ([UInt64](), first, now)
        while true {
            now += .seconds(1)
            guard let next = queue.release(grant, at: now) else { return order }
            order.append(next.waiter)
            grant = next.grant
        }
    }

    @Test func `requests for the model at hand go first, so that models are swapped seldom`() throws {
        var (queue, held) = try #require(full(patience: .seconds(20)))
        for request in 1...200 as ClosedRange<UInt64> {
            let caller = AdmissionCaller("one").wanting(request.isMultiple(of: 2) ? "a" : "b:latest")
            _ = queue.arrive(request, caller, at: Self.start, request)
        }
        let places = queue.places
        let order = drain(&queue, held)
        #expect(order.sorted() == Array(1...200))
        #expect(order.enumerated().allSatisfy { places[$0.element] == $0.offset + 1 }, "the places told come true")
        let swaps = zip([0] + order, order).filter { $0.isMultiple(of: 2) != $1.isMultiple(of: 2) }.count
        #expect(swaps <= 22, "200 in turn")
        for (place, request) in order.enumerated() {
            let overtakers = order[..<place].filter { $0 > request }.count
            #expect(overtakers <= 20, "\(request) was passed over \(overtakers) times")
        }
    }

    @Test func `a flood for the model at hand does not hold up another client's model beyond the patience`() throws {
        var (queue, held) = try #require(full(patience: .seconds(5)))
        for request in 1...100 as ClosedRange<UInt64> {
            _ = queue.arrive(request, AdmissionCaller("flood").wanting("a"), at: Self.start, request)
        }
        _ = queue.arrive(101, AdmissionCaller("other").wanting("b"), at: Self.start, 101)
        let order = drain(&queue, held)
        let place = try #require(order.firstIndex(of: 101))
        #expect((1...6).contains(place))
    }

    @Test func `requests that name no model, or need the one at hand, keep their turns`() throws {
        var (queue, held) = try #require(full(patience: .seconds(20)))
        for request in 1...6 as ClosedRange<UInt64> {
            let caller = AdmissionCaller(request <= 3 ? "one" : "two").wanting(request == 4 ? nil : "A:latest")
            _ = queue.arrive(request, caller, at: Self.start, request)
        }
        #expect(drain(&queue, held) == [1, 4, 2, 5, 3, 6])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `whatever comes and goes, each is served once and none is passed over too often`(seed: UInt64) throws {
        var random = SeededGenerator(seed)
        let patience = Int.random(in: 0...12, using: &random)
        var (queue, grant) = try #require(full(patience: .seconds(patience)))
        var (now, callers, order) = (Self.start, [UInt64: AdmissionCaller](), [UInt64]())
        var cancelled: Set<UInt64> = []
        for request in 1...600 as ClosedRange<UInt64> {
            let caller = AdmissionCaller("\(Int.random(in: 0..<4, using: &random))")
                .wanting(["a", "b", "c", nil].randomElement(using: &random) ?? nil)
            callers[request] = caller
            _ = queue.arrive(request, caller, at: now, request)
            if Int.random(in: 0..<3, using: &random) == 0 {
                now += .seconds(1)
                if let next = queue.release(grant, at: now) { (grant, order) = (next.grant, order + [next.waiter]) }
            }
            if Int.random(in: 0..<12, using: &random) == 0, queue.cancel(request) != nil { cancelled.insert(request) }
        }
        order += drain(&queue, grant, from: now)
        #expect(order.sorted() == (1...600).filter { !cancelled.contains($0) })
        for (identity, line) in Dictionary(grouping: order, by: { callers[$0]?.identity ?? "" }) {
            for (place, request) in line.enumerated() {
                let overtakers = line[..<place].filter { $0 > request }.count
                // As many as a patience holds, of one second each; the mean of service times is not exact.
                #expect(overtakers <= patience + 1, "\(request) of \(identity) was passed over \(overtakers) times")
            }
        }
        #expect(queue.waiting == 0)
    }
}
