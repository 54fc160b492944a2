import Foundation

/// The measures of a run: per query and their means.
package struct EvaluationResult: Sendable, Hashable {
    /// The run's name.
    package var name: String
    /// The values by query id, for every query with judgements.
    package var perQuery: [String: [Metric: Double]]
    /// The mean of each metric over all queries with judgements.
    package var means: [Metric: Double]

    /// One metric's value by query id.
    package func values(of metric: Metric) -> [String: Double] { perQuery.compactMapValues { $0[metric] } }
}

/// Computes measures as `trec_eval -c` does.
package enum Evaluator {
    /// Measures a run.
    ///
    /// Rankings are first put into the order of `trec_eval` (score descending, then document id descending). A document
    /// that appears twice counts at its better rank. Relevant means a grade above 0. Every query in the judgements counts,
    /// as with `trec_eval -c`: a query without a ranking or without relevant documents scores 0 everywhere. Rankings without
    /// judgements do not
    /// count.
    package static func evaluate(
        _ run: RankedRun, qrels: Qrels, metrics: [Metric] = Metric.defaults
    ) -> EvaluationResult {
        var perQuery: [String: [Metric: Double]] = [:]
        var sums: [Metric: Double] = [:]
        // A fixed order: a sum of doubles depends on the order.
        for query in qrels.grades.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let ranking = JudgedRanking(run.rankings[query] ?? [], qrels.grades[query] ?? [:])
            var values: [Metric: Double] = [:]
            for metric in metrics { values[metric] = ranking.value(of: metric) }
            perQuery[query] = values
            sums.merge(values, uniquingKeysWith: +)
        }
        let count = Double(max(1, perQuery.count))
        return EvaluationResult(name: run.name, perQuery: perQuery, means: sums.mapValues { $0 / count })
    }
}

/// A ranking with the grades of its documents.
struct JudgedRanking {
    /// The gain at each rank, from the best; 0 for documents that are not relevant.
    private let gains: [Int]
    /// The gains of all relevant documents, the largest first.
    private let ideal: [Int]

    init(_ documents: [ScoredDocument], _ grades: [String: Int]) {
        var seen: Set<String> = []
        gains = documents.sorted { $0.isAbove($1) }.filter { seen.insert($0.id).inserted }
            .map { max(0, grades[$0.id] ?? 0) }
        ideal = grades.values.filter { $0 > 0 }.sorted(by: >)
    }

    func value(of metric: Metric) -> Double {
        guard !ideal.isEmpty, metric.cut ?? 1 > 0 else { return 0 }
        switch metric {
        case .ndcg(let k):
            return discounted(gains.prefix(k)) / discounted(ideal.prefix(k))
        case .map:
            return averagePrecision / Double(ideal.count)
        case .mrr(let k):
            return gains.prefix(k ?? gains.count).firstIndex { $0 > 0 }.map { 1 / Double($0 + 1) } ?? 0
        case .recall(let k):
            return Double(found(k)) / Double(ideal.count)
        case .precision(let k):
            return Double(found(k)) / Double(k)
        }
    }

    private func found(_ k: Int) -> Int { gains.prefix(k).count { $0 > 0 } }

    private func discounted(_ gains: ArraySlice<Int>) -> Double {
        gains.enumerated().reduce(0) { $0 + Double($1.element) / log2(Double($1.offset + 2)) }
    }

    private var averagePrecision: Double {
        var (sum, relevant) = (0.0, 0)
        for (index, gain) in gains.enumerated() where gain > 0 {
            relevant += 1
            sum += Double(relevant) / Double(index + 1)
        }
        return sum
    }
}
