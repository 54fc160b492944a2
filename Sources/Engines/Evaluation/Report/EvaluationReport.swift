package import Foundation

/// The result of an evaluation. Its JSON is meant for storage and comparison.
package struct EvaluationReport: Codable, Sendable, Hashable {
    /// One search mode with its figures.
    package struct Mode: Codable, Sendable, Hashable {
        /// The name, such as `vector`.
        package var mode: String
        /// Means over the judged queries.
        package var metrics: [Metric: Double]
        /// 95 % bootstrap confidence intervals of the means.
        package var intervals: [Metric: Interval]?
        /// The latency of its searches, in milliseconds.
        package var latency: LatencySummary?

        private enum CodingKeys: String, CodingKey {
            case mode, metrics, intervals
            case latency = "latency_ms"
        }

        /// Creates a mode's figures.
        package init(
            mode: String, metrics: [Metric: Double], intervals: [Metric: Interval]? = nil,
            latency: LatencySummary? = nil
        ) {
            self.mode = mode
            self.metrics = metrics
            self.intervals = intervals
            self.latency = latency
        }
    }

    /// A confidence interval.
    package struct Interval: Codable, Sendable, Hashable {
        /// The lower end.
        package var low: Double
        /// The upper end.
        package var high: Double

        package init(low: Double, high: Double) {
            self.low = low
            self.high = high
        }
    }

    /// One mode compared with another on one metric.
    package struct Comparison: Codable, Sendable, Hashable {
        /// A, the mode that is compared.
        package var mode: String
        /// B, the mode it is compared with.
        package var against: String
        /// The metric that is compared.
        package var metric: Metric
        /// The statistical comparison of A and B.
        package var significance: Significance
        package var perQuery: PerQueryTable

        private enum CodingKeys: String, CodingKey {
            case mode, against, metric, significance
            case perQuery = "per_query"
        }

        package init(
            mode: String, against: String, metric: Metric, significance: Significance, perQuery: PerQueryTable
        ) {
            self.mode = mode
            self.against = against
            self.metric = metric
            self.significance = significance
            self.perQuery = perQuery
        }
    }

    /// The collection's name.
    package var collection: String
    /// The number of documents.
    package var documents: Int?
    /// The number of judged queries.
    package var queries: Int?
    /// The modes, in the order of the report.
    package var modes: [Mode]
    /// Comparisons. The first one is drawn query by query.
    package var comparisons: [Comparison]?
    /// Sentences for readers, such as the warnings of a collection.
    package var notes: [String]?

    /// Creates a report from finished figures.
    package init(
        collection: String, documents: Int? = nil, queries: Int? = nil, modes: [Mode],
        comparisons: [Comparison]? = nil, notes: [String]? = nil
    ) {
        self.collection = collection
        self.documents = documents
        self.queries = queries
        self.modes = modes
        self.comparisons = comparisons
        self.notes = notes
    }

    /// Reads a report.
    ///
    /// - Throws: `EvaluationError` when the data is not a report.
    package init(json: Data) throws {
        do {
            self = try JSONDecoder().decode(EvaluationReport.self, from: json)
        } catch {
            throw EvaluationError("not an evaluation report: \(error)")
        }
    }

    /// The report as JSON with sorted keys, so that two reports can be compared line by line.
    ///
    /// - Throws: `EvaluationError` when a figure is not finite.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(self)
        } catch {
            throw EvaluationError("the report has a number that JSON cannot represent: \(error)")
        }
    }

    /// All metrics that any mode has, in the order of reports.
    package var metrics: [Metric] { Set(modes.flatMap(\.metrics.keys)).sorted() }

    /// Whether a mode has the best value of a metric, ties included. A single mode is never the best.
    func isBest(_ mode: Mode, in metric: Metric) -> Bool {
        guard modes.count > 1, let value = mode.metrics[metric] else { return false }
        return value >= (modes.compactMap { $0.metrics[metric] }.max() ?? value)
    }
}
