extension EvaluationReport {
    /// A mode's measures, before they are part of a report.
    package struct Measured: Sendable {
        /// The name, such as `vector`.
        package var mode: String
        /// The evaluator's result.
        package var result: EvaluationResult
        /// The latency of its searches.
        package var latency: LatencySummary?

        /// Creates a mode's measures.
        package init(mode: String, result: EvaluationResult, latency: LatencySummary? = nil) {
            self.mode = mode
            self.result = result
            self.latency = latency
        }
    }

    /// Creates a report with confidence intervals that compares one mode with its legs.
    ///
    /// - Parameters:
    ///   - collection: Gives the name, the counts, the texts of queries, and its warnings as notes.
    ///   - measured: The modes, in the order of the report, all measured with the same judgements.
    ///   - subject: The mode to compare. When it was not measured, nothing is compared.
    ///   - legs: The modes to compare it with; unmeasured ones are skipped. The leg with the best mean comes first.
    ///   - metric: The metric to compare. When it was not measured, nothing is compared.
    ///   - seed: The same seed gives the same intervals and p-values.
    /// - Throws: `EvaluationError` when modes were measured with different queries, or with none.
    package init(
        _ collection: EvaluationCollection, measured: [Measured], comparing subject: String = "hybrid",
        with legs: [String] = ["vector", "keyword"], on metric: Metric = .ndcg(10), seed: UInt64 = 1
    ) throws {
        let modes = measured.map { entry in
            var intervals: [Metric: Interval] = [:]
            for metric in entry.result.means.keys {
                let values = entry.result.values(of: metric).sorted {
                    $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
                }
                let interval = Significance.bootstrapMean(values.map(\.value), seed: seed)
                intervals[metric] = Interval(low: interval.low, high: interval.high)
            }
            return Mode(
                mode: entry.mode, metrics: entry.result.means, intervals: intervals, latency: entry.latency)
        }
        var comparisons: [Comparison] = []
        if let subject = measured.first(where: { $0.mode == subject }), subject.result.means[metric] != nil {
            func mean(_ entry: Measured) -> Double { entry.result.means[metric] ?? 0 }
            let others = measured.filter {
                legs.contains($0.mode) && $0.mode != subject.mode && $0.result.means[metric] != nil
            }
            for other in others.sorted(by: { mean($0) > mean($1) }) {
                let (a, b) = (subject.result.values(of: metric), other.result.values(of: metric))
                comparisons.append(
                    Comparison(
                        mode: subject.mode, against: other.mode, metric: metric,
                        significance: try Significance.compare(a, b, seed: seed),
                        perQuery: PerQueryTable(a, b, texts: collection.queryTexts)))
            }
        }
        self.init(
            collection: collection.name, documents: collection.documents.count,
            queries: measured.first?.result.perQuery.count ?? collection.qrels.queryCount, modes: modes,
            comparisons: comparisons.isEmpty ? nil : comparisons,
            notes: collection.warnings.isEmpty ? nil : collection.warnings)
    }
}

extension EvaluationReport.Comparison {
    /// The result as a sentence.
    package var sentence: String {
        let result = significance
        let interval = "\(signed(result.confidenceLow, 4)) to \(signed(result.confidenceHigh, 4))"
        let p = result.pValue < 0.0001 ? "p < 0.0001" : "p = \(fixed(result.pValue, 4))"
        return "\(mode) − \(against), \(metric): \(signed(result.meanDifference, 4)) (95 % CI \(interval), "
            + "\(p), \(result.queries) queries): better for \(perQuery.wins), worse for \(perQuery.losses), "
            + "equal for \(perQuery.ties)"
    }
}
