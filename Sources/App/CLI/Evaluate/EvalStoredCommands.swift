import ArgumentParser
import Evaluation
import Foundation
import GatewayAPI
import GatewayClient

/// `selene eval collections`: lists the collections that a running gateway can measure.
struct EvalCollectionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collections", abstract: "List the collections of a running gateway (SELENE_EVALUATIONS).")

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let found = try await RemoteConsoleService(try gateway.connect()).evaluationCollections()
            try Terminal.report(found, asJSON: json) {
                if !found.isSet { Terminal.line("there is no folder of collections; set SELENE_EVALUATIONS") }
                for entry in found.collections {
                    let vectors = entry.hasVectors ? "ready vectors" : "texts are embedded"
                    Terminal.line(SafeText(oneLine: "\(entry.name)  \(entry.bytes) bytes, \(vectors)"))
                }
            }
        }
    }
}

/// `selene eval start`: has a running gateway measure a collection.
struct EvalStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Measure a collection in a running gateway, and keep the report there.",
        discussion: """
            The collection is a folder in the gateway's folder of collections. Ctrl-C leaves the job running; \
            `selene eval runs` lists its report.

              selene eval start cranfield --name "before the update"
              selene eval start cranfield --mode hybrid --fusion rrf:60
            """)

    @Argument(help: "The name of the collection: selene eval collections.")
    var collection: String

    @Option(help: "The name of the report (default: the collection's).")
    var name: String?

    @Option(help: "vector, keyword or hybrid; may be repeated (default: all three).")
    var mode: [String] = []

    @Option(help: "convex, convex:ALPHA, rrf, rrf:K or dbsf (default: that of searches).")
    var fusion: String?

    @Option(help: "The keyword scorer: like, bm25 or both (default: both).")
    var scorer: String?

    @Option(help: "A measure: ndcg@K, map, mrr@K, recall@K or p@K; may be repeated.")
    var metric: [String] = []

    @Option(help: "Length of each ranking, 1 to 1000 (default: 200).")
    var depth: Int?

    @Flag(help: "Embed the texts even if there are ready vectors.")
    var embed = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print the job as JSON when it ended.")
    var json = false

    /// The pause between two looks at the job.
    private static let pause = Duration.milliseconds(500)

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let connection = try gateway.connect()
            let request = EvaluationJobRequest(
                collection: collection, name: name, modes: mode.isEmpty ? nil : mode, fusion: fusion, scorer: scorer,
                metrics: metric.isEmpty ? nil : metric, depth: depth, embed: embed ? true : nil)
            var job = try await RemoteConsoleService(connection).startEvaluation(request)
            let jobs = RemoteDataService(connection)
            var bar = ProgressBar("evaluation", unit: "steps")
            while job.state == .running {
                if job.total > 0 { bar.update(done: job.done, total: job.total) }
                try await Task.sleep(for: Self.pause)
                job = try await jobs.job(job.id)
            }
            bar.finish()
            let ended = job
            try Terminal.report(ended, asJSON: json) {
                Terminal.line(SafeText(oneLine: "\(ended.state.rawValue): \(ended.message ?? "")"))
            }
            if ended.state != .done { throw ExitCode.failure }
        }
    }
}

/// `selene eval runs`: lists the reports of a running gateway.
struct EvalRunsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "List the reports that a running gateway keeps, latest first.")

    @Option(help: "Maximum number of reports, 1 to 100.")
    var limit = 50

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteConsoleService(try gateway.connect())
            let found = try await service.evaluations(PageRequest(limit: limit)).evaluations
            try Terminal.report(found, asJSON: json) {
                if found.isEmpty { Terminal.line("there are no reports; run selene eval start COLLECTION") }
                for one in found {
                    Terminal.line(
                        SafeText(oneLine: "\(one.id)  \(one.createdAt.prefix(16))  \(one.collection)  \(one.name)"))
                }
            }
        }
    }
}

/// `selene eval show`: prints a report of a running gateway.
struct EvalShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a report that a running gateway keeps.")

    @Argument(help: "The id.")
    var id: Int64

    @Option(help: "Write an HTML report with charts to this file.")
    var html: String?

    @Option(help: "A required threshold, such as 'hybrid.ndcg@10>=0.41'; may be repeated.")
    var gate: [String] = []

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print the report as JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteConsoleService(try gateway.connect())
            let stored = try await service.evaluation(id)
            let report = try EvaluationReport(json: JSONEncoder().encode(stored.report ?? .null))
            try ReportOutput.write(
                json: json ? report.json() : nil, text: report.textTable(), html: (html, report.html()))
            guard !gate.isEmpty else { return }
            let found = try await service.checkEvaluation(id, gates: gate)
            for failure in found.failures { Terminal.note("selene: gate missed: \(failure)") }
            if !found.passed { throw ExitCode(2) }
        }
    }
}

/// `selene eval compare`: compares two reports of a running gateway.
struct EvalCompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Say whether the second report is better than the first.",
        discussion: """
              selene eval compare 3 5
              selene eval compare 3 5 --metric recall@100 --before vector --after hybrid
            """)

    @Argument(help: "The id of the first report.")
    var first: Int64

    @Argument(help: "The id of the second report.")
    var second: Int64

    @Option(help: "The measure (default: ndcg@10).")
    var metric: String?

    @Option(help: "The mode of the first report (default: hybrid, or a mode of both reports).")
    var before: String?

    @Option(help: "The mode of the second report (default: hybrid, or a mode of both reports).")
    var after: String?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let found = try await RemoteConsoleService(try gateway.connect())
                .compareEvaluations(first, second, metric: metric, before: before, after: after)
            try Terminal.report(found, asJSON: json) { Self.write(found) }
        }
    }

    private static func write(_ found: EvaluationComparison) {
        func figure(_ value: Double) -> String { String(format: "%.4f", value) }
        for side in [found.before, found.after] {
            Terminal.line(
                SafeText(oneLine: "\(side.id)  \(side.name), \(side.mode): \(found.metric) \(figure(side.mean))"))
        }
        Terminal.line(
            "difference \(figure(found.difference)) (95% from \(figure(found.low)) to \(figure(found.high)), "
                + "p = \(figure(found.pValue)), \(found.queries) queries): better for \(found.wins), worse for "
                + "\(found.losses), equal for \(found.ties)")
        if let warning = found.warning { Terminal.line(SafeText(oneLine: warning)) }
        for (title, rows) in [("gained", found.gains), ("lost", found.drops)] {
            for row in rows {
                let change = "\(figure(row.before)) to \(figure(row.after))"
                Terminal.line(SafeText(oneLine: "  \(title)  \(change)  \(row.text.isEmpty ? row.id : row.text)"))
            }
        }
    }
}

/// `selene eval remove`: deletes a report of a running gateway.
struct EvalRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Delete a report that a running gateway keeps.")

    @Argument(help: "The id.")
    var id: Int64

    @OptionGroup var gateway: GatewayOptions

    func run() async throws {
        try await GatewayOptions.reported {
            try await RemoteConsoleService(try gateway.connect()).deleteEvaluation(id)
            Terminal.line("evaluation \(id) is deleted")
        }
    }
}
