import Evaluation
import Foundation

/// The values of each query, kept beside a report so that two reports can be compared.
struct EvaluationFigures: Codable, Sendable {
    /// The maximum number of judged queries.
    static let maxQueries = 10_000
    /// The maximum number of characters of a query's text.
    static let maxText = 200

    /// The ids of the judged queries, sorted by their bytes.
    var queries: [String]
    /// The texts of the queries.
    var texts: [String]
    /// By mode and metric: the values in the order of the queries.
    var values: [String: [String: [Double]]]

    /// Collects the values of measured modes.
    init(_ collection: EvaluationCollection, _ measured: [EvaluationReport.Measured]) {
        let ids = (measured.first?.result.perQuery.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }) ?? []
        let words = collection.queryTexts
        queries = ids
        texts = ids.map { String((words[$0] ?? "").prefix(Self.maxText)) }
        values = [:]
        for entry in measured {
            var metrics: [String: [Double]] = [:]
            for metric in entry.result.means.keys {
                let found = entry.result.values(of: metric)
                metrics[metric.rawValue] = ids.map { found[$0] ?? 0 }
            }
            values[entry.mode] = metrics
        }
    }

    /// Reads stored figures; nil for anything else.
    init?(json: Data) {
        guard let found = try? JSONDecoder().decode(EvaluationFigures.self, from: json),
            found.texts.count == found.queries.count,
            found.values.values.allSatisfy({ $0.values.allSatisfy { $0.count == found.queries.count } })
        else { return nil }
        self = found
    }

    /// The stored form.
    func json() throws -> Data { try JSONEncoder().encode(self) }

    /// The values of a mode and metric by query id; nil when they were not measured.
    func values(of metric: Metric, in mode: String) -> [String: Double]? {
        values[mode]?[metric.rawValue].map { Dictionary(zip(queries, $0)) { first, _ in first } }
    }

    /// The text of each query by its id.
    var textsByID: [String: String] { Dictionary(zip(queries, texts)) { first, _ in first } }
}
