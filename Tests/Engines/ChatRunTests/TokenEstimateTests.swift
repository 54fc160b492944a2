import TestSupport
import Testing

@testable import ChatRun

struct TokenEstimateTests {
    private let text = String(repeating: "some words ", count: 100)

    @Test func `an estimate without counts is rather high`() {
        let estimate = TokenEstimate()
        #expect(estimate.tokens("") == 0)
        #expect(estimate.tokens("abcd") == 2)
        #expect(estimate.tokens(text) == 309)
        #expect(estimate.tokens("漢字") == 3)
        #expect(estimate.bytesPerToken == 4)
    }

    @Test func `counts that come back move it, with a margin that shrinks`() {
        var estimate = TokenEstimate()
        for _ in 0..<40 { estimate.learn(220, of: text) }
        #expect((220...226).contains(estimate.tokens(text)))
        #expect((4.9...5.1).contains(estimate.bytesPerToken))
        #expect(estimate.observations == 40)
    }

    @Test func `after noisy counts few texts have more tokens than estimated`() {
        var random = SeededGenerator(9)
        var estimate = TokenEstimate()
        var tooLow = 0
        for round in 0..<1000 {
            let count = Int.random(in: 280...320, using: &random)
            if round >= 50, estimate.tokens(text) < count { tooLow += 1 }
            estimate.learn(count, of: text)
        }
        #expect(tooLow < 150)
    }

    @Test func `counts that cannot be right change nothing`() {
        var estimate = TokenEstimate()
        let before = estimate
        for count in [Int.min, -1, 0, 5, 100, 2000, Int.max] { estimate.learn(count, of: text) }
        estimate.learn(3, of: "short")
        #expect(estimate == before)
    }

    @Test func `any counts keep it within bounds`() {
        var random = SeededGenerator(4)
        var estimate = TokenEstimate()
        for _ in 0..<Gear.rounds(5000) {
            estimate.learn(Int.random(in: 0...1500, using: &random), of: text)
            #expect((1...10).contains(estimate.bytesPerToken))
            #expect((100...1500).contains(estimate.tokens(text)))
        }
    }

    @Test func `the models that were used last are remembered`() {
        var estimates = TokenEstimates()
        for model in 0..<100 {
            estimates.learn(200, of: text, model: "first")
            estimates.learn(200, of: text, model: "model \(model)")
        }
        #expect(estimates["first"].observations == 100)
        #expect(estimates["model 99"].observations == 1)
        #expect(estimates["model 36"].observations == 0)
        #expect(estimates["model 37"].observations == 1)
    }
}
