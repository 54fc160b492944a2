import ArgumentParser
import Console
import Evaluation
import Foundation
import Retrieval

/// `selene eval tune DIR`: chooses a fusion on one half of the queries and measures it on the other half.
struct EvalTuneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tune",
        abstract: "Choose the fusion on one half of the queries and report on the other half.",
        discussion: """
            A setting that is chosen and reported on the same queries looks better than it is. If the chosen fusion \
            beats the default significantly, set it as SELENE_FUSION.

              selene eval tune collections/cranfield
            """)

    @OptionGroup var subject: CollectionOptions

    @Option(help: "The measure that decides the choice.")
    var metric = "ndcg@10"

    @Flag(help: "Print JSON.")
    var json = false

    /// The output of `--json`.
    private struct Summary: Encodable {
        struct Candidate: Encodable {
            var fusion: String
            var tuning: Double
        }
        var collection: String
        var metric: String
        var chosen: String
        var tuning_queries: Int
        var reporting_queries: Int
        var candidates: [Candidate]
        var chosen_on_reporting: Double
        var default_on_reporting: Double
        var comparison: Significance
    }

    /// The fusions to try.
    static let candidates: [FusionMethod] =
        (0...20).map { .convex(alpha: Double($0) / 20) } + [10, 30, 60, 100].map { .rrf(k: $0) } + [.dbsf]

    func run() async throws {
        try await EvaluationFailure.reported {
            let metric = try Metric(parsing: metric)
            let subject = try await CommandSubject.open(subject)
            let halves = QuerySplit.split(subject.collection.qrels)
            guard halves.tuning.queryCount > 1, halves.reporting.queryCount > 1 else {
                throw EvaluationError("\(subject.collection.name) has too few judged queries for two halves")
            }
            let standard = HybridQuery(text: "").fusion
            var runs: [(fusion: FusionMethod, run: RankedRun, tuning: Double)] = []
            for fusion in [standard] + Self.candidates.filter({ $0 != standard }) {
                let setting = RetrievalSetting(name: "\(fusion)", mode: .hybrid, fusion: fusion)
                let run = try await subject.run(setting, depth: 200).run
                let result = Evaluator.evaluate(run, qrels: halves.tuning, metrics: [metric])
                runs.append((fusion, run, result.means[metric] ?? 0))
            }
            // Ties keep the default, which is the first.
            let best = runs.dropFirst().reduce(runs[0]) { $1.tuning > $0.tuning ? $1 : $0 }
            func reported(_ run: RankedRun) -> EvaluationResult {
                Evaluator.evaluate(run, qrels: halves.reporting, metrics: [metric])
            }
            let (chosen, usual) = (reported(best.run), reported(runs[0].run))
            let significance = try Significance.compare(chosen.values(of: metric), usual.values(of: metric))
            let summary = Summary(
                collection: subject.collection.name, metric: "\(metric)", chosen: best.fusion.setting,
                tuning_queries: halves.tuning.queryCount, reporting_queries: halves.reporting.queryCount,
                candidates: runs.map { .init(fusion: $0.fusion.setting, tuning: $0.tuning) },
                chosen_on_reporting: chosen.means[metric] ?? 0, default_on_reporting: usual.means[metric] ?? 0,
                comparison: significance)
            Terminal.line(json ? try JSONOutput.text(summary) : Self.text(summary))
        }
    }

    private static func text(_ summary: Summary) -> String {
        func rounded(_ value: Double) -> String { String(format: "%.4f", value) }
        var lines = ["\(summary.metric) on the \(summary.tuning_queries) queries for tuning:"]
        let best = summary.candidates.map(\.tuning).max() ?? 0
        for candidate in summary.candidates {
            let bar = best > 0 ? String(repeating: "█", count: Int((candidate.tuning / best * 40).rounded(.down))) : ""
            lines.append(
                "  \(candidate.fusion.padded(to: 12)) \(rounded(candidate.tuning)) \(bar)"
                    + (candidate.fusion == summary.chosen ? "  chosen" : ""))
        }
        lines.append(
            "on the other \(summary.reporting_queries): \(summary.chosen) \(rounded(summary.chosen_on_reporting)), "
                + "default \(rounded(summary.default_on_reporting)), difference "
                + "\(rounded(summary.comparison.meanDifference)) (95% from \(rounded(summary.comparison.confidenceLow)) "
                + "to \(rounded(summary.comparison.confidenceHigh)), p = \(rounded(summary.comparison.pValue)))")
        if let warning = summary.comparison.warning { lines.append(warning) }
        return lines.joined(separator: "\n")
    }
}
