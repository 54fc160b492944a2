import Foundation
import TestSupport
import Testing

@testable import Retrieval

/// The nearest documents among vectors that pass by, compared with a slow scan.
@Suite struct StreamingNearestTests {
    private static func cosine(_ one: [Float], _ other: [Float]) -> Double {
        func product(_ a: [Float], _ b: [Float]) -> Double {
            zip(a, b).reduce(0) { $0 + Double($1.0) * Double($1.1) }
        }
        return product(one, other) / (product(one, one) * product(other, other)).squareRoot()
    }

    @Test(arguments: [1, 7, 64, 1000])
    func `documents are found with their best passages, however the rows are cut`(chunk: Int) {
        var random = SeededGenerator(4)
        func vector() -> [Float] { (0..<5).map { _ in .random(in: -1...1, using: &random) } }
        var passages: [(document: Int64, vector: [Float])] = []
        for document in 0..<200 {
            for _ in 0..<Int.random(in: 1...5, using: &random) { passages.append((Int64(document), vector())) }
        }
        // Twins, which are ordered by id.
        passages.append((200, passages[0].vector))
        let queries = (0..<9).map { _ in vector() } + [passages[0].vector, [0, 0, 0, 0, 0], [1, 2]]
        var nearest = StreamingNearest(queries: queries, dimensions: 5, wanted: 6)
        for start in stride(from: 0, to: passages.count, by: chunk) {
            nearest.add(Array(passages[start..<min(start + chunk, passages.count)]))
        }
        nearest.add([(300, [.nan, 1, 1, 1, 1]), (301, [0, 0, 0, 0, 0]), (302, [1])])
        let found = nearest.finish()
        for (query, hits) in zip(queries.prefix(10), found) {
            var best: [Int64: Double] = [:]
            for (document, vector) in passages {
                best[document] = max(best[document] ?? -2, Self.cosine(query, vector))
            }
            let sorted = best.sorted { abs($0.value - $1.value) > 1e-9 ? $0.value > $1.value : $0.key < $1.key }
            #expect(hits.map(\.id) == sorted.prefix(6).map(\.key))
            #expect(zip(hits, sorted).allSatisfy { abs(Double($0.score) - $1.value) < 1e-5 })
        }
        #expect(found[9].prefix(2).map(\.id) == [0, 200])
        // Queries without a direction, or of another length, are equally far from all.
        #expect(found[10].allSatisfy { $0.score == 0 } && found[11].allSatisfy { $0.score == 0 })
    }

    @Test func `without rows or queries nothing is found`() {
        var none = StreamingNearest(queries: [], dimensions: 3, wanted: 2)
        none.add([(1, [1, 2, 3])])
        #expect(none.finish().isEmpty)
        var empty = StreamingNearest(queries: [[1, 2, 3]], dimensions: 3, wanted: 2)
        #expect(empty.finish() == [[]])
        var zero = StreamingNearest(queries: [[1, 2, 3]], dimensions: 3, wanted: 0)
        zero.add([(1, [1, 2, 3])])
        #expect(zero.finish() == [[]])
    }
}
