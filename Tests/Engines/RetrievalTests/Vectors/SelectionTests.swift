import CKernels
import TestSupport
import Testing

@testable import Retrieval

/// The loops over scores that are no set's own.
@Suite struct Selections {
    @Test func `finds the places that are not below the threshold`() {
        var random = SeededGenerator(1)
        for count in [0, 1, 15, 16, 17, 31, 32, 33, 100, 1000] {
            for threshold in [-Float.infinity, -1, 0, 0.5, 0.99, 1, .infinity] {
                let scores = (0..<count).map { _ in Float(Int.random(in: -4...4, using: &random)) / 4 }
                var places = [UInt32](repeating: .max, count: count + 1)
                let found = selene_select(scores, count, threshold, &places)
                #expect(places.prefix(found).map(Int.init) == scores.indices.filter { scores[$0] >= threshold })
                #expect(places[found...].allSatisfy { $0 == .max })
            }
        }
    }

    @Test func `never finds a score that is no number`() {
        let scores = [Float](repeating: .nan, count: 40)
        var places = [UInt32](repeating: 0, count: 64)
        #expect(selene_select(scores, 40, -.infinity, &places) == 0)
        #expect(selene_select_columns([Float](repeating: .nan, count: 64), 4, 16, scores, &places) == 0)
    }

    @Test(arguments: [16, 32, 48, 64]) func `each column has its own threshold`(width: Int) {
        var random = SeededGenerator(UInt64(width))
        for count in [0, 1, 2, 7, 40] {
            let scores = random.vector(count * width)
            var thresholds = (0..<width).map { _ in Float.random(in: 0.5...1, using: &random) }
            thresholds[0] = -.infinity
            thresholds[width - 1] = .infinity
            var places = [UInt32](repeating: .max, count: count * width + 1)
            let found = selene_select_columns(scores, count, width, thresholds, &places)
            #expect(
                places.prefix(found).map(Int.init) == scores.indices.filter { scores[$0] >= thresholds[$0 % width] })
            #expect(places[found...].allSatisfy { $0 == .max })
        }
    }

    @Test func `an estimate is a sum, scaled`() {
        var random = SeededGenerator(9)
        for count in [0, 1, 7, 16, 100] {
            let sums = (0..<count).map { _ in Int32.random(in: -20_000_000...20_000_000, using: &random) }
            let (factors, extras) = (random.vector(count), random.vector(count))
            var scores = [Float](repeating: .infinity, count: count + 1)
            selene_estimate(sums, count, 0.001, 0.25, factors, -2, extras, &scores)
            for place in 0..<count {
                let (product, extra) = (
                    (Double(sums[place]) * 0.001 + 0.25) * Double(factors[place]), -2 * Double(extras[place])
                )
                #expect(abs(Double(scores[place]) - product - extra) <= (abs(product) + abs(extra) + 1) * 0x1p-20)
            }
            #expect(scores[count] == .infinity)
        }
    }
}
