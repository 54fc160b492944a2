import Dispatch
import Evaluation
package import EvaluationRoom
import Foundation
import GatewayAPI
package import Inference
package import JobRoom
import Retrieval

/// Measures retrieval on collections as jobs, and keeps the reports.
package struct EvaluationService: Sendable {
    /// The largest ready vectors of documents, in bytes.
    static let maxVectorBytes = 1 << 30
    /// The length of a ranking.
    static let depth = 200
    /// The maximum number of points that a chart of differences has.
    static let maxDifferences = 1000

    let folder: EvaluationFolder
    let reports: EvaluationRoom

    /// - Parameter folder: The folder of collections; nil when no setting names one.
    package init(folder: String?, reports: EvaluationRoom) {
        self.folder = EvaluationFolder(path: folder)
        self.reports = reports
    }

    // MARK: Measuring

    /// Runs an evaluation job.
    ///
    /// - Parameters:
    ///   - model: Embeds the texts of a collection without ready vectors.
    ///   - account: The account to charge; nil charges nobody.
    /// - Returns: The job's final message.
    /// - Throws: `EvaluationError`, `UpstreamError`, ``StorageError``, `CancellationError`.
    package func work(
        _ job: StoredJob, lane: EmbeddingLane, model: String, account: EmbeddingAccount?,
        _ report: @escaping @Sendable (JobProgress) -> Void
    ) async throws -> String? {
        let request = try job.decodedParameters(as: EvaluationJobRequest.self)
        let metrics = try request.metrics?.map { try Metric(parsing: $0) } ?? Metric.defaults
        let settings = try Self.settings(of: request)
        let (collection, ready) = try await Self.beside { [folder] in
            try Self.load(try folder.find(request.collection), embeds: request.embed == true)
        }
        let judged = collection.judgedQueries.count
        guard judged <= EvaluationFigures.maxQueries else {
            throw EvaluationError("\(judged) queries are judged; \(EvaluationFigures.maxQueries) are the limit")
        }
        let documents = collection.documents.count
        let needsVectors = settings.contains { $0.mode != .keyword }
        let texts = needsVectors && ready == nil ? documents + judged : 0
        let total = texts + documents + judged * settings.count
        func progress(_ done: Int, _ step: String) {
            report(JobProgress(done: done, total: total, failed: 0, message: step))
        }
        progress(0, "reading \(request.collection)")
        var vectors = ready
        if texts > 0 {
            vectors = try await CollectionEmbedder(lane: lane, model: model, account: account)
                .vectors(of: collection) { progress($0, "embedding with \(model)") }
        }
        let subject = try await EvaluationSubject(collection, vectors: needsVectors ? vectors : nil) { done, _ in
            progress(texts + done, "indexing")
        }
        var measured: [EvaluationReport.Measured] = []
        for (number, setting) in settings.enumerated() {
            let before = texts + documents + number * judged
            let (run, times, _) = try await subject.run(setting, depth: request.depth ?? Self.depth) { done, _ in
                progress(before + done, "searching: \(setting.name)")
            }
            let result = Evaluator.evaluate(run, qrels: collection.qrels, metrics: metrics)
            measured.append(.init(mode: setting.name, result: result, latency: LatencySummary(times)))
        }
        progress(total, "comparing")
        return try await keep(request, subject, measured, metrics)
    }

    /// Stores the report of measured modes. Returns the job's final message.
    private func keep(
        _ request: EvaluationJobRequest, _ subject: EvaluationSubject, _ measured: [EvaluationReport.Measured],
        _ metrics: [Metric]
    ) async throws -> String {
        let (report, figures) = try await Self.beside {
            let metric = metrics.contains(.ndcg(10)) ? .ndcg(10) : metrics.first ?? .ndcg(10)
            var report = try EvaluationReport(subject.collection, measured: measured, on: metric)
            report.collection = request.collection
            report.documents = subject.documentCount
            report.notes = subject.notes.isEmpty ? nil : subject.notes
            return (report, try EvaluationFigures(subject.collection, measured).json())
        }
        let means = report.modes.reduce(into: [String: JSONValue]()) { means, mode in
            means[mode.mode] = .object(
                mode.metrics.reduce(into: [:]) { $0[$1.key.rawValue] = .number($1.value) })
        }
        let id = try await reports.add(
            collection: request.collection, name: request.name ?? request.collection, means: .object(means),
            report: Array(try report.json()), figures: Array(figures))
        let first = metrics.first ?? .ndcg(10)
        let shown = report.modes.compactMap { mode in
            mode.metrics[first].map { "\(mode.mode) \(($0 * 10_000).rounded() / 10_000)" }
        }
        return "evaluation \(id): \(first.rawValue) \(shown.joined(separator: ", "))"
    }

    private static func settings(of request: EvaluationJobRequest) throws -> [RetrievalSetting] {
        var fusion: FusionMethod?
        if let name = request.fusion {
            guard let known = FusionMethod.parse(name) else {
                throw EvaluationError("`\(name)` is not a fusion; use convex, convex:ALPHA, rrf, rrf:K or dbsf")
            }
            fusion = known
        }
        let scorer = request.scorer.flatMap(KeywordScorer.init(rawValue:))
        let asked = request.modes ?? []
        return [RetrievalMode.vector, .keyword, .hybrid].filter { asked.isEmpty || asked.contains($0.rawValue) }.map {
            RetrievalSetting(name: $0.rawValue, mode: $0, fusion: $0 == .hybrid ? fusion : nil, scorer: scorer)
        }
    }

    /// Reads a collection and its ready vectors.
    private static func load(
        _ folder: URL, embeds: Bool
    ) throws -> (collection: EvaluationCollection, ready: EvaluationSubject.Vectors?) {
        let collection = try EvaluationCollection.load(folder)
        guard !embeds, let files = try ReadyVectors.find(in: folder) else { return (collection, nil) }
        for file in [files.documents, files.queries] {
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
            guard (size?.int64Value ?? 0) <= Self.maxVectorBytes else {
                throw EvaluationError("\(file.lastPathComponent) has more than \(Self.maxVectorBytes) bytes")
            }
        }
        return (collection, try EvaluationSubject.Vectors(files))
    }

    /// Runs blocking work on another thread than those of tasks.
    private static func beside<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { continuation.resume(with: Result { try work() }) }
        }
    }

    // MARK: Reports

    /// Says whether the second report is better than the first on one metric.
    ///
    /// - Parameters:
    ///   - metric: The metric; nDCG@10 when nil, or the first that both have.
    ///   - modes: The modes; `hybrid` where nil, or the first mode that both have.
    /// - Throws: `EvaluationError` when they have nothing in common, ``StorageError/Code/notFound``.
    func compare(
        _ first: Int64, _ second: Int64, metric: Metric?, modes: (before: String?, after: String?)
    ) async throws -> EvaluationComparison {
        let (before, after) = (try await reports.figures(first), try await reports.figures(second))
        guard before.evaluation.collection == after.evaluation.collection else {
            throw EvaluationError(
                "evaluation \(first) is of \(before.evaluation.collection), evaluation \(second) of "
                    + after.evaluation.collection)
        }
        return try await Self.beside {
            guard let a = EvaluationFigures(json: Data(before.figures)),
                let b = EvaluationFigures(json: Data(after.figures))
            else {
                throw EvaluationError("the figures of an evaluation cannot be read")
            }
            let names = Set(a.values.keys).intersection(b.values.keys)
            let usual = names.contains("hybrid") ? "hybrid" : names.min() ?? "hybrid"
            let mode = (before: modes.before ?? usual, after: modes.after ?? usual)
            let both = Set((a.values[mode.before] ?? [:]).keys).intersection((b.values[mode.after] ?? [:]).keys)
            let known = both.compactMap(Metric.init(rawValue:)).sorted()
            guard let metric = metric ?? (known.contains(.ndcg(10)) ? .ndcg(10) : known.first),
                let old = a.values(of: metric, in: mode.before), let new = b.values(of: metric, in: mode.after)
            else { throw EvaluationError("the evaluations have no mode and metric in common that were asked for") }
            let common = Set(old.keys).intersection(new.keys)
            guard !common.isEmpty else { throw EvaluationError("the evaluations have no query in common") }
            let (x, y) = (old.filter { common.contains($0.key) }, new.filter { common.contains($0.key) })
            return try Self.comparison(
                metric, of: (before.evaluation, mode.before, x), with: (after.evaluation, mode.after, y),
                texts: b.textsByID)
        }
    }

    private typealias Part = (evaluation: StoredEvaluation, mode: String, values: [String: Double])

    private static func comparison(
        _ metric: Metric, of before: Part, with after: Part, texts: [String: String]
    ) throws -> EvaluationComparison {
        let result = try Significance.compare(after.values, before.values)
        let table = PerQueryTable(after.values, before.values, texts: texts)
        func side(_ part: Part) -> EvaluationComparison.Side {
            // In a fixed order: a sum of doubles depends on it.
            let sum = part.values.keys.sorted().reduce(0) { $0 + (part.values[$1] ?? 0) }
            return .init(
                id: part.evaluation.id, name: part.evaluation.name, mode: part.mode,
                mean: sum / Double(max(1, part.values.count)))
        }
        func query(_ row: PerQueryTable.Row) -> EvaluationComparison.Query {
            .init(id: row.query, text: row.text, before: row.b, after: row.a)
        }
        let step = max(1, (table.differences.count + maxDifferences - 1) / maxDifferences)
        return EvaluationComparison(
            collection: after.evaluation.collection, metric: metric.rawValue, before: side(before), after: side(after),
            queries: result.queries, difference: result.meanDifference, low: result.confidenceLow,
            high: result.confidenceHigh, pValue: result.pValue, isExact: result.isExact, warning: result.warning,
            wins: table.wins, losses: table.losses, ties: table.ties, gains: table.largestGains.map(query),
            drops: table.largestLosses.map(query),
            differences: stride(from: 0, to: table.differences.count, by: step).map { table.differences[$0] })
    }

    /// Returns where a report fails conditions, as sentences.
    ///
    /// - Throws: `EvaluationError` for text that is not a gate, ``StorageError/Code/notFound``.
    func failures(of id: Int64, gates: [String]) async throws -> [String] {
        let gates = try gates.map { try Gate(parsing: $0) }
        let stored = try await reports.find(id)
        let report = try EvaluationReport(json: Data((stored.report ?? .null).json))
        return gates.flatMap { $0.failures(in: report) }.map(\.description)
    }
}
