public import ArgumentParser
import Console
import Evaluation
import Foundation
import Gateway
import Inference
public import Retrieval

/// `selene eval DIR`: measures one or more modes of retrieval.
struct EvalRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measure retrieval (the default).", discussion: "See `selene eval --help`.")

    @OptionGroup var subject: CollectionOptions

    @Option(help: "vector, keyword or hybrid; may be repeated (default: all three).")
    var mode: [RetrievalMode] = []

    @Option(help: "convex, convex:ALPHA, rrf, rrf:K or dbsf; may be repeated. The mode \"hybrid\" uses the first.")
    var fusion: [String] = []

    @Option(help: "The keyword scorer: like, bm25 or both (default: both).")
    var scorer: KeywordScorer?

    @Flag(
        inversion: .prefixedNo,
        help: "Let the best documents of a first ranking rank all candidates again, in the mode \"hybrid\".")
    var feedback: Bool = true

    @Flag(
        help: """
            Also measure the mode "hybrid rerank": hybrid whose best documents the model of SELENE_RERANK_MODEL reorders.
            """)
    var rerank = false

    @Option(help: "A measure: ndcg@K, map, mrr@K, recall@K or p@K; may be repeated.")
    var metric: [String] = []

    @Option(help: "Length of each ranking, 1 to 1000.")
    var depth = 200

    @Option(
        parsing: .upToNextOption,
        help: """
            Compare two modes of this run, or two TREC run files: is the first better than the second? "hybrid plain" is \
            hybrid without feedback, "hybrid rerank" needs --rerank.
            """)
    var compare: [String] = []

    @Option(help: "A required threshold, such as 'hybrid.ndcg@10>=0.41'; may be repeated.")
    var gate: [String] = []

    @Option(help: "Write an HTML report with charts to this file.")
    var html: String?

    @Option(help: "Write the chart to this file.")
    var svg: String?

    @Option(help: "Write each mode's ranking as a TREC run to this folder, as MODE.run.")
    var runs: String?

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        guard (1...HybridQuery.maxLimit).contains(depth) else {
            throw ValidationError("--depth: expected 1 to \(HybridQuery.maxLimit), got \(depth)")
        }
        guard compare.isEmpty || compare.count == 2 else {
            throw ValidationError("--compare: expected two names, got \(compare.count)")
        }
        for name in fusion where FusionMethod.parse(name) == nil {
            throw ValidationError("--fusion: expected convex, convex:ALPHA, rrf, rrf:K or dbsf, got \"\(name)\"")
        }
    }

    func run() async throws {
        try await EvaluationFailure.reported {
            let metrics = metric.isEmpty ? Metric.defaults : try metric.map { try Metric(parsing: $0) }
            let gates = try gate.map { try Gate(parsing: $0) }
            let configuration = try self.subject.options.load()
            let subject = try await CommandSubject.open(subject)
            let (measured, remarks) = try await measure(subject, metrics, configuration)
            var report = try EvaluationReport(subject.collection, measured: measured)
            report.documents = subject.documentCount
            let notes = subject.notes + remarks
            report.notes = notes.isEmpty ? nil : notes
            if compare.count == 2 {
                let comparison = try comparison(in: measured, subject, on: metrics.first ?? .ndcg(10))
                report.comparisons =
                    [comparison]
                    + (report.comparisons ?? []).filter {
                        $0.mode != comparison.mode || $0.against != comparison.against
                    }
            }
            try write(report)
            let failures = gates.flatMap { $0.failures(in: report) }
            for failure in failures { Terminal.note("selene: gate missed: \(failure.description)") }
            if !failures.isEmpty { throw ExitCode(2) }
        }
    }

    /// - Returns: The figures of each mode, and remarks about the reranker.
    private func measure(
        _ subject: CommandSubject, _ metrics: [Metric], _ configuration: GatewayConfiguration
    ) async throws -> ([EvaluationReport.Measured], [String]) {
        guard rerank else { return try await measure(subject, metrics, by: nil) }
        return try await LocalReranker.run(configuration) { reranker in
            guard let reranker else { throw EvaluationError("--rerank needs a model; set SELENE_RERANK_MODEL") }
            return try await measure(subject, metrics, by: reranker)
        }
    }

    private func measure(
        _ subject: CommandSubject, _ metrics: [Metric], by reranker: Reranker?
    ) async throws -> ([EvaluationReport.Measured], [String]) {
        var measured: [EvaluationReport.Measured] = []
        var remarks: [String] = []
        for setting in settings(reranker) {
            let (run, times, unranked) = try await subject.run(setting, depth: depth)
            if let reason = unranked.values.min() {
                remarks.append(
                    "\(setting.name): \(unranked.count) of \(run.rankings.count) queries kept the order of the search: "
                        + reason)
            }
            if let runs { try save(run, in: runs) }
            measured.append(
                .init(
                    mode: setting.name,
                    result: Evaluator.evaluate(run, qrels: subject.collection.qrels, metrics: metrics),
                    latency: LatencySummary(times)))
        }
        return (measured, remarks)
    }

    /// The name of hybrid search without feedback.
    private static let plain = "hybrid plain"
    /// The name of hybrid search with reranking.
    private static let reranked = "hybrid rerank"

    private func settings(_ reranker: Reranker?) -> [RetrievalSetting] {
        let modes = mode.isEmpty ? [.vector, .keyword, .hybrid] : mode
        let fusions = fusion.compactMap(FusionMethod.parse)
        var settings: [RetrievalSetting] = []
        for mode in modes {
            guard mode == .hybrid else {
                settings.append(RetrievalSetting(name: mode.rawValue, mode: mode, scorer: scorer))
                continue
            }
            let standard: Feedback? = feedback ? .standard : nil
            settings.append(
                RetrievalSetting(
                    name: "hybrid", mode: .hybrid, fusion: fusions.first, scorer: scorer, feedback: standard))
            if let reranker {
                settings.append(
                    RetrievalSetting(
                        name: Self.reranked, mode: .hybrid, fusion: fusions.first, scorer: scorer, feedback: standard,
                        reranker: reranker))
            }
            if compare.contains(Self.plain) {
                settings.append(
                    RetrievalSetting(
                        name: Self.plain, mode: .hybrid, fusion: fusions.first, scorer: scorer, feedback: nil))
            }
            for other in fusions.dropFirst() {
                settings.append(
                    RetrievalSetting(
                        name: "hybrid \(other)", mode: .hybrid, fusion: other, scorer: scorer, feedback: standard))
            }
        }
        return settings
    }

    /// Compares the two names of `--compare`; a name that is not a mode of this run is a file.
    private func comparison(
        in measured: [EvaluationReport.Measured], _ subject: CommandSubject, on metric: Metric
    ) throws -> EvaluationReport.Comparison {
        let values = try compare.map { name -> [String: Double] in
            if let mode = measured.first(where: { $0.mode == name }) { return mode.result.values(of: metric) }
            let run = try RankedRun(contentsOf: URL(filePath: name))
            return Evaluator.evaluate(run, qrels: subject.collection.qrels, metrics: [metric]).values(of: metric)
        }
        return EvaluationReport.Comparison(
            mode: compare[0], against: compare[1], metric: metric,
            significance: try Significance.compare(values[0], values[1]),
            perQuery: PerQueryTable(values[0], values[1], texts: subject.collection.queryTexts))
    }

    private func save(_ run: RankedRun, in folder: String) throws {
        let url = URL(filePath: folder)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let name = run.name.replacing(" ", with: "-") + ".run"
        try Data(run.trecText().utf8).write(to: url.appending(path: name), options: .atomic)
    }

    private func write(_ report: EvaluationReport) throws {
        if let html { try Data(report.html().utf8).write(to: URL(filePath: html), options: .atomic) }
        if let svg { try Data(report.svg().utf8).write(to: URL(filePath: svg), options: .atomic) }
        if json {
            Terminal.line(String(decoding: try report.json(), as: UTF8.self))
            return
        }
        Terminal.write(report.textTable())
        if let html { Terminal.line("report: \(html)") }
    }
}

extension KeywordScorer: ExpressibleByArgument {}

/// Turns an evaluation's errors into one line and an exit code.
enum EvaluationFailure {
    static func reported(_ body: @escaping @Sendable () async throws -> Void) async throws {
        do {
            try await Interrupt.cancellable(body)
        } catch let error as EvaluationError {
            Terminal.note("selene: \(error.message)")
            throw ExitCode(65)
        } catch is CancellationError {
            throw Interrupt.exitCode
        } catch let error as CocoaError {
            Terminal.note("selene: \(error.localizedDescription)")
            throw ExitCode.failure
        } catch {
            throw Failure.exit(for: error)
        }
    }
}
