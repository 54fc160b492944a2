import ArgumentParser
import Evaluation
import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// `selene playground bench`: compares models on the same prompts.
struct PlaygroundBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Compare models on the same prompts, over your notes.",
        discussion: """
            Asks each prompt several times with each model and measures the time to the first token, tokens a second, their \
            spread over the runs, citation support and calls of tools. The report is stored by the gateway.

              selene playground bench week-in-review --models llama3.2,gemma3:270m --runs 5
              selene playground bench specific --html bench.html
              selene playground bench questions.txt last-time --var what="it snowed" --json

            PROMPTS are ids, kinds (all prompts of the kind) or files with a question on each line. "cites" counts answers \
            that cite a given note with a number of the model's own, "supported" claims whose notes say them, "invents" \
            citations of notes that do not exist.

            Ctrl-C stops the answer in progress and reports what was measured.
            Exit codes: 0 done, 1 failed, 64 wrong usage, 130 interrupted.
            """)

    @Argument(help: "Prompts: ids, kinds or files.")
    var prompts: [String]

    @Option(help: "The models, separated by commas (default: the gateway's).")
    var models: String?

    @Option(help: "How often each prompt is asked with each model, 1 to 100.")
    var runs = 3

    @Option(
        name: .customLong("var"), help: "A value for the prompts that have the variable, NAME=VALUE; may be repeated.")
    var values: [String] = []

    @Option(help: "The report's name (default: the prompts).")
    var name: String?

    @Flag(help: "The models may not call tools.")
    var noTools = false

    @Flag(help: "Do not load each model by an answer that is not measured.")
    var noWarmUp = false

    @Flag(help: "Keep the answers as a session.")
    var keep = false

    @Flag(help: "Do not store the report.")
    var noStore = false

    @Option(help: "Write an HTML report with charts to this file.")
    var html: String?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        guard !prompts.isEmpty else { throw ValidationError("PROMPTS: expected at least one id, kind or file") }
        guard (1...100).contains(runs) else { throw ValidationError("--runs: expected 1 to 100, got \(runs)") }
        if let models, ModelNames.read(models).isEmpty { throw ValidationError("--models: expected a name") }
        _ = try PromptValues(values)
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let connection = try gateway.connect()
            let subjects = try await BenchSubjects(
                prompts, values: try PromptValues(values), RemotePromptService(connection)
            ).subjects
            guard !subjects.isEmpty else { throw ValidationError("PROMPTS: there is no prompt to ask") }
            let items = items(subjects)
            let series = AnswerSeries(connection, name: "bench", keeps: keep)
            let outcomes = try await Interrupt.cancellable { try await series.run(items, label: "bench") }
            if keep { Terminal.note("the answers are in the session \(series.session)") }
            let report = BenchReport(
                name: name ?? prompts.joined(separator: ", "), runs: runs,
                planned: items.count { !$0.isWarmUp }, subjects: subjects.map(\.report),
                samples: outcomes.map { AnswerSample($0) })
            let id = noStore || report.samples.isEmpty ? nil : await store(report, RemotePromptService(connection))
            try write(report, id: id)
            if report.isPartial { throw Interrupt.exitCode }
            if report.samples.allSatisfy({ !$0.isDone }) { throw ExitCode.failure }
        }
    }

    private func items(_ subjects: [BenchSubjects.Subject]) -> [AnswerSeries.Item] {
        let names: [String?] = models.map { ModelNames.read($0) } ?? [GatewayOptions.model]
        return names.flatMap { model in
            var items: [AnswerSeries.Item] = []
            if !noWarmUp {
                var options = ChatOptions()
                (options.model, options.kind) = (model, .plain)
                items.append(.init(subject: "", number: 0, question: "Say yes.", options: options, isWarmUp: true))
            }
            for subject in subjects {
                var options = subject.options
                options.model = model
                options.usesTools = !noTools
                items += (1...runs).map {
                    .init(subject: subject.report.id, number: $0, question: subject.report.text, options: options)
                }
            }
            return items
        }
    }

    /// Stores a report.
    ///
    /// - Returns: Its id; nil when it cannot be stored, which is said.
    private func store(_ report: BenchReport, _ service: RemotePromptService) async -> Int64? {
        do {
            let value = try JSONDecoder().decode(JSONValue.self, from: report.json())
            return try await service.store(NewBenchRun(name: String(report.name.prefix(100)), report: value)).id
        } catch {
            Terminal.note("selene: the report is not stored: \(error)")
            return nil
        }
    }

    private func write(_ report: BenchReport, id: Int64?) throws {
        try ReportOutput.write(json: json ? report.json() : nil, text: report.text(), html: (html, report.html()))
        if let id { Terminal.note("stored: selene playground show \(id)") }
    }
}

/// Names of models in an option.
enum ModelNames {
    /// Reads names separated by commas, each once.
    static func read(_ text: String) -> [String] {
        var names: [String] = []
        for part in text.split(separator: ",") {
            let name = part.trimmingCharacters(in: .whitespaces)
            if !name.isEmpty, !names.contains(name) { names.append(name) }
        }
        return names
    }
}

/// Where a report goes.
enum ReportOutput {
    /// Writes the page to its file, and JSON or text to standard output.
    static func write(json: Data?, text: String, html: (path: String?, page: String)) throws {
        if let path = html.path { try Data(html.page.utf8).write(to: URL(filePath: path), options: .atomic) }
        if let json {
            Terminal.line(String(decoding: json, as: UTF8.self))
        } else {
            Terminal.write(text)
            if let path = html.path { Terminal.line("report: \(path)") }
        }
    }
}
