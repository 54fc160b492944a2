import Foundation
import TestSupport
import Testing

@testable import Evaluation

/// The metrics once more, slowly and by definition: ranks come from counting, not from sorting.
private struct Oracle {
    var documents: [ScoredDocument]
    var grades: [String: Int]

    func rank(_ document: ScoredDocument) -> Int {
        1
            + documents.count { other in
                Float(other.score) > Float(document.score)
                    || (Float(other.score) == Float(document.score)
                        && Array(document.id.utf8).lexicographicallyPrecedes(Array(other.id.utf8)))
            }
    }

    func value(of metric: Metric) -> Double {
        let relevant = grades.filter { $0.value > 0 }
        guard !relevant.isEmpty else { return 0 }
        let found = documents.compactMap { document in
            relevant[document.id].map { (rank: rank(document), grade: $0) }
        }
        switch metric {
        case .ndcg(let k):
            let gain = found.map { $0.rank <= k ? Double($0.grade) * log(2) / log(Double($0.rank) + 1) : 0 }
            var rest = Array(relevant.values)
            var (best, rank) = (0.0, 1)
            while let largest = rest.max(), rank <= k {
                rest.remove(at: rest.firstIndex(of: largest) ?? 0)
                best += Double(largest) * log(2) / log(Double(rank) + 1)
                rank += 1
            }
            return gain.reduce(0, +) / best
        case .map:
            let precisions = found.map { hit in Double(found.count { $0.rank <= hit.rank }) / Double(hit.rank) }
            return precisions.reduce(0, +) / Double(relevant.count)
        case .mrr(let k):
            return found.map { $0.rank <= k ?? .max ? 1 / Double($0.rank) : 0 }.max() ?? 0
        case .recall(let k):
            return Double(found.count { $0.rank <= k }) / Double(relevant.count)
        case .precision(let k):
            return Double(found.count { $0.rank <= k }) / Double(k)
        }
    }
}

struct OracleTests {
    static let metrics: [Metric] =
        Metric.defaults + [.ndcg(1), .ndcg(3), .mrr(nil), .mrr(1), .recall(5), .precision(3)]

    @Test(arguments: 0..<60)
    func `random rankings with ties have the values of the definitions`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pool = (0..<40).map { $0 % 7 == 0 ? "dé\($0)" : "d\($0)" }
        let judged = pool.shuffled(using: &random).prefix(Int.random(in: 0...25, using: &random))
        let grades = Dictionary(
            uniqueKeysWithValues: judged.map { ($0, [-1, 0, 0, 1, 2, 3].randomElement(using: &random) ?? 0) })
        // Few different scores, so that most are tied.
        let documents = pool.shuffled(using: &random).prefix(Int.random(in: 0...40, using: &random)).map {
            ScoredDocument(id: $0, score: Double(Int.random(in: 0...4, using: &random)) / 3)
        }
        let result = Evaluator.evaluate(
            RankedRun(name: "", rankings: ["q": documents]), qrels: Qrels(grades: ["q": grades]),
            metrics: Self.metrics)
        let oracle = Oracle(documents: documents, grades: grades)
        for metric in Self.metrics {
            let value = try #require(result.perQuery["q"]?[metric])
            #expect(abs(value - oracle.value(of: metric)) < 1e-12, "\(metric)")
            #expect((0...1).contains(value))
        }
    }
}
