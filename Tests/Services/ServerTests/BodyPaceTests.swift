import Testing

@testable import Access
@testable import Server

/// How long bodies may take and how much they may hold, without a server or a clock.
@Suite struct BodyRules {
    private let start = ContinuousClock.now

    @Test func `a body has its grace and a second for each share that came`() {
        var pace = BodyPace(grace: .seconds(10), rate: 1000, at: start)
        #expect(pace.deadline == start + .seconds(10))
        pace.receive(5000)
        #expect(pace.deadline == start + .seconds(15))
        let free = BodyPace(grace: .seconds(10), rate: 0, at: start)
        #expect(free.deadline == nil)
    }

    @Test func `time in which nobody reads does not count`() {
        var pace = BodyPace(grace: .seconds(10), rate: 1000, at: start)
        pace.pause(at: start + .seconds(2))
        pace.pause(at: start + .seconds(3))
        #expect(pace.isPaused && pace.deadline == nil)
        pace.resume(at: start + .seconds(60))
        pace.resume(at: start + .seconds(70))
        #expect(!pace.isPaused && pace.deadline == start + .seconds(68))
    }

    @Test func `the budget is for all, three quarters for one, and comes back whole`() throws {
        let budget = BodyBudget(capacity: 1_000_000)
        var (one, two, small) = (BodyShare(), BodyShare(), BodyShare())
        try one.grow(by: 700_000, of: "a", in: budget)
        #expect(throws: GatewayError.self) { try two.grow(by: 100_000, of: "a", in: budget) }
        #expect(two.bytes == 0 && budget.used == 700_000)
        try two.grow(by: 100_000, of: "b", in: budget)
        try small.grow(by: 50_000, of: "a", in: budget)
        #expect(throws: GatewayError.self) { try two.grow(by: 200_000, of: "b", in: budget) }
        #expect(budget.used == 850_000 && budget.refused.value == 2)
        one.shrink(by: 400_000, in: budget)
        try two.grow(by: 400_000, of: "b", in: budget)
        one.release(in: budget)
        two.release(in: budget)
        small.release(in: budget)
        #expect(budget.used == 0)
        var again = BodyShare()
        try again.grow(by: 750_000, of: "a", in: budget)
        again.release(in: budget)
    }

    @Test func `of the room for answers a holder gets half of what the others leave`() throws {
        let budget = BodyBudget(capacity: 1000, of: "answers", share: .halfOfTheRest)
        var shares = (0..<6).map { _ in BodyShare() }
        for (place, most) in [500, 250, 125, 62, 31].enumerated() {
            #expect(throws: GatewayError.self) { try shares[place].grow(by: most + 1, of: "\(place)", in: budget) }
            try shares[place].grow(by: most, of: "\(place)", in: budget)
            #expect(budget.isFull(for: "\(place)"))
            // Small answers count, too: many of them are no way around the limit.
            #expect(throws: GatewayError.self) { try shares[place].grow(by: 1, of: "\(place)", in: budget) }
        }
        #expect(!budget.isFull(for: "next"))
        for place in shares.indices { shares[place].release(in: budget) }
        #expect(budget.used == 0 && !budget.isFull(for: "0"))
    }

    @Test func `a share that is asked for more than any number is refused`() {
        let budget = BodyBudget(capacity: 1000)
        var share = BodyShare()
        #expect(throws: GatewayError.self) { try share.grow(by: .max, of: "a", in: budget) }
        #expect(budget.used == 0)
    }

    @Test(arguments: [0, -5, Int.min, Int.max])
    func `a limit of requests that no key has ends in an answer`(limit: Int) {
        var bucket = RequestBucket(perMinute: limit, at: start)
        #expect(bucket.take(perMinute: limit, at: start) == nil)
        _ = bucket.take(perMinute: limit, at: start)
        for other in [0, Int.min, Int.max, 5] { _ = bucket.take(perMinute: other, at: start + .seconds(1)) }
    }
}
