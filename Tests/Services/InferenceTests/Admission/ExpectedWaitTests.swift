import TestSupport
import Testing

@testable import Inference

/// How long requests are expected to take and to wait.
@Suite struct ExpectedWaits {
    static let start = ContinuousClock.now

    @Test func `a model's time is what its answers took, with what each byte of a prompt adds`() {
        var times = ServiceTimes()
        #expect(times.expected(size: 100, model: "m") == 1)
        for round in 0..<40 {
            let size = 1000 * (1 + round % 7)
            times.learn(0.5 + Double(size) * 0.001, size: size, model: "m")
            times.learn(0.1, size: size, model: "n")
        }
        #expect(abs(times.expected(size: 20_000, model: "m") - 20.5) < 0.01)
        #expect(abs(times.expected(size: 20_000, model: "n") - 0.1) < 0.001)
        #expect(abs(times.rest(of: 1000, model: "m", after: 1) - 0.5) < 0.01)
        #expect(abs(times.rest(of: 1000, model: "m", after: 100) - 0.375) < 0.01)
        // A model that is not known takes as long as the others.
        #expect(times.expected(size: 4000, model: "new") > 0.1)
    }

    @Test func `a few answers, or sizes that hardly differ, make no slope`() {
        var times = ServiceTimes()
        times.learn(1, size: 10, model: "m")
        times.learn(3, size: 1000, model: "m")
        #expect(abs(times.expected(size: 1_000_000, model: "m") - 2) < 0.1)
        for _ in 0..<10 { times.learn(2, size: 500, model: "n") }
        #expect(abs(times.expected(size: 1_000_000, model: "n") - 2) < 0.001)
        // Larger prompts that took less time make no negative one.
        for round in 1..<30 { times.learn(30 / Double(round), size: round * 100, model: "o") }
        #expect(times.expected(size: 10_000_000, model: "o") > 0)
    }

    @Test func `no number of models fills the memory`() {
        var times = ServiceTimes()
        for round in 0..<1000 { times.learn(Double(round), size: 1, model: "m\(round)") }
        #expect(times.expected(size: 1, model: "m999") == 999)
        #expect(times.expected(size: 1, model: "m1") > 900)
    }

    /// A server with several places, before which requests of four clients queue; returns what was expected and what was.
    private func waits(
        width: Int, seed: UInt64, _ service: (_ size: Int, inout SeededGenerator) -> Double
    ) -> [(expected: Double, real: Double)] {
        var random = SeededGenerator(seed)
        var queue = AdmissionQueue<UInt64>(limits: AdmissionLimits(maxInFlight: width, maxWaiting: 1000))
        var now = 0.0
        var flying: [(grant: AdmissionGrant, end: Double)] = []
        var waits: [(expected: Double, real: Double)] = []
        var sizes: [UInt64: Int] = [:]
        func at(_ seconds: Double) -> ContinuousClock.Instant { Self.start + .seconds(seconds) }
        func begin(_ grant: AdmissionGrant) {
            flying.append((grant, now + service(sizes[grant.request] ?? 0, &random)))
            guard grant.position > 0 else { return }
            waits.append((grant.expectedWait, grant.waited.inSeconds))
        }
        // So many at a time arrive that a line forms and goes again.
        for request in 0..<UInt64(4000) {
            if request % 40 == 0 {
                while let next = flying.indices.min(by: { flying[$0].end < flying[$1].end }) {
                    let ended = flying.remove(at: next)
                    now = ended.end
                    if let next = queue.release(ended.grant, at: at(now)) { begin(next.grant) }
                }
            }
            let size = Int.random(in: 200...20_000, using: &random)
            sizes[request] = size
            let caller = AdmissionCaller("client \(request % 4)").wanting("m", size: size)
            if case .grant(let grant) = queue.arrive(request, caller, at: at(now), request) { begin(grant) }
        }
        return waits
    }

    @Test(arguments: [1, 4]) func `nine waits in ten are expected within a factor of two`(width: Int) {
        // Reading takes 0.1 ms a byte; an answer has 20 to 300 tokens at 50 a second.
        let waits = waits(width: width, seed: UInt64(width)) { size, random in
            Double(size) * 0.0001 + Double.random(in: 20...300, using: &random) / 50
        }
        let seen = waits.dropFirst(waits.count / 10).filter { $0.real > 0.05 }
        #expect(seen.count > 2000)
        let close = seen.count { $0.expected <= $0.real * 2 && $0.expected >= $0.real / 2 }
        #expect(Double(close) >= 0.9 * Double(seen.count), "\(close) of \(seen.count)")
    }

    @Test func `in a long line a newcomer's turn counts, not the line's length`() {
        var queue = AdmissionQueue<UInt64>(
            limits: AdmissionLimits(maxInFlight: 1, maxWaiting: 1000, maxWaitingPerIdentity: 900))
        guard case .grant(let first) = queue.arrive(0, AdmissionCaller("flood"), at: Self.start, 0) else { return }
        for request in 1...500 as ClosedRange<UInt64> {
            _ = queue.arrive(request, AdmissionCaller("flood"), at: Self.start, request)
        }
        _ = queue.arrive(501, AdmissionCaller("other"), at: Self.start, 501)
        let next = queue.release(first, at: Self.start + .seconds(1))
        #expect(next?.waiter == 501 && next.map { $0.grant.expectedWait < 3 } == true)
    }

    @Test func `a long line is expected by the mean time`() {
        var queue = AdmissionQueue<UInt64>(limits: AdmissionLimits(maxInFlight: 2, maxWaiting: 5000))
        var held: [AdmissionGrant] = []
        for request in 0..<UInt64(2000) {
            let caller = AdmissionCaller("a \(request % 10)").wanting("m", size: 10)
            if case .grant(let grant) = queue.arrive(request, caller, at: Self.start, request) { held.append(grant) }
        }
        // Nothing is known yet: a second each.
        var last = held.removeFirst()
        while let next = queue.release(last, at: Self.start) { last = next.grant }
        #expect(abs(last.expectedWait - 1000) < 2)
    }
}
