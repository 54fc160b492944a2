import TestSupport
import Testing

@testable import Inference

/// The choice of an endpoint against a naive statement of the rules, and the breaker.
@Suite struct EndpointChoices {
    typealias Candidate = EndpointChoice.Candidate

    /// The rules, one after the other, by filtering.
    static func oracle(_ candidates: [Candidate]) -> Int? {
        var left = candidates.indices.filter { !candidates[$0].isExcluded }
        func keep(_ isBetter: (Candidate) -> Bool) {
            let better = left.filter { isBetter(candidates[$0]) }
            if !better.isEmpty { left = better }
        }
        keep { $0.isHealthy }
        keep { $0.holding != .absent }
        keep { $0.holding != .unknown && $0.holding != .absent }
        func cost(_ index: Int) -> Int {
            candidates[index].inFlight + (candidates[index].holding == .stored ? EndpointChoice.coldCost : 0)
                + (candidates[index].isColdPrompt ? EndpointChoice.coldPromptCost : 0)
        }
        let least = left.map(cost).min()
        left = left.filter { cost($0) == least }
        let longest = left.map { candidates[$0].lastChosen }.min()
        return left.first { candidates[$0].lastChosen == longest }
    }

    @Test func `the choice is what the rules say, for any state`() {
        var random = SeededGenerator(1)
        let holdings: [EndpointChoice.Holding] = [.loaded, .stored, .absent, .unknown]
        for _ in 0..<Gear.rounds(20_000) {
            let candidates = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                Candidate(
                    isHealthy: Int.random(in: 0..<4, using: &random) > 0,
                    holding: holdings[Int.random(in: 0..<4, using: &random)],
                    inFlight: Int.random(in: 0...7, using: &random),
                    lastChosen: UInt64.random(in: 0...3, using: &random),
                    isExcluded: Int.random(in: 0..<5, using: &random) == 0,
                    isColdPrompt: Bool.random(using: &random))
            }
            #expect(EndpointChoice.choose(candidates) == Self.oracle(candidates), "\(candidates)")
        }
    }

    @Test func `ties rotate, and a model stays where it is loaded until that place is busy`() {
        var candidates = [0, 0, 0].map { Candidate(isHealthy: true, holding: .loaded, inFlight: $0, lastChosen: 0) }
        var chosen: [Int] = []
        for turn in 1...6 {
            guard let index = EndpointChoice.choose(candidates) else { continue }
            candidates[index].lastChosen = UInt64(turn)
            chosen.append(index)
        }
        #expect(chosen == [0, 1, 2, 0, 1, 2])
        var pair = [
            Candidate(isHealthy: true, holding: .loaded, inFlight: 0, lastChosen: 9),
            Candidate(isHealthy: true, holding: .stored, inFlight: 0, lastChosen: 0),
        ]
        for load in 0..<EndpointChoice.coldCost {
            pair[0].inFlight = load
            #expect(EndpointChoice.choose(pair) == 0)
        }
        pair[0].inFlight = EndpointChoice.coldCost + 1
        #expect(EndpointChoice.choose(pair) == 1)
        // The same of a prompt, for one request.
        pair[1].holding = .loaded
        pair[1].isColdPrompt = true
        pair[0].inFlight = 0
        #expect(EndpointChoice.choose(pair) == 0)
        pair[0].inFlight = 2
        #expect(EndpointChoice.choose(pair) == 1)
    }

    // MARK: The breaker

    private let start = ContinuousClock.now

    @Test func `a breaker opens after failures in a row, lets one trial through, and backs off`() {
        var breaker = CircuitBreaker()
        for _ in 0..<10 {
            breaker.requestFailed(isTrial: false, at: start)
            breaker.requestFailed(isTrial: false, at: start)
            breaker.requestSucceeded()
        }
        #expect(breaker.isClosed)
        for _ in 0..<CircuitBreaker.requestLimit { breaker.requestFailed(isTrial: false, at: start) }
        #expect(!breaker.isClosed && !breaker.allows(at: start))
        var now = start
        var pause = CircuitBreaker.shortest
        for _ in 0..<8 {
            #expect(!breaker.allows(at: now + pause - .milliseconds(1)))
            now += pause
            #expect(breaker.allows(at: now))
            let isTrial = breaker.begin(at: now)
            #expect(isTrial)
            // One trial at a time.
            let hasAnother = breaker.begin(at: now + .seconds(100))
            #expect(!hasAnother && !breaker.allows(at: now + .seconds(100)))
            breaker.requestFailed(isTrial: true, at: now)
            pause = min(pause * 2, CircuitBreaker.longest)
        }
        now += pause
        let isLast = breaker.begin(at: now)
        #expect(isLast)
        breaker.requestSucceeded()
        #expect(breaker.isClosed && breaker.allows(at: now))
    }

    @Test func `a trial that is given up leaves the way to the next, and probes open and close a breaker too`() {
        var breaker = CircuitBreaker()
        for _ in 0..<CircuitBreaker.requestLimit { breaker.requestFailed(isTrial: false, at: start) }
        let later = start + .seconds(2)
        let isTrial = breaker.begin(at: later)
        #expect(isTrial)
        breaker.requestAbandoned(isTrial: true, at: later)
        #expect(breaker.allows(at: later) && !breaker.isClosed)
        // While requests fail, a probe that succeeds proves little: closed when its time is over, open at the next failure.
        breaker.probeSucceeded(at: later)
        #expect(breaker.isClosed)
        breaker.requestFailed(isTrial: false, at: later)
        #expect(!breaker.isClosed)

        var probed = CircuitBreaker()
        probed.probeFailed(at: start)
        #expect(probed.isClosed)
        probed.probeFailed(at: start)
        #expect(!probed.isClosed)
        probed.probeSucceeded(at: start)
        #expect(probed.isClosed)
    }
}
