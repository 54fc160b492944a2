import ArgumentParser
import Evaluation
import Foundation
import GatewayAPI
import GatewayClient

/// `selene playground list`: lists the stored benchmarks.
struct PlaygroundListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the stored benchmarks, latest first.")

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let found = try await RemotePromptService(try gateway.connect()).benchRuns()
            try Terminal.report(found, asJSON: json) {
                if found.runs.isEmpty { Terminal.line("there are no benchmarks") }
                for run in found.runs {
                    Terminal.line(SafeText(oneLine: "\(run.id)  \(run.createdAt.prefix(16))  \(run.name)"))
                }
            }
        }
    }
}

/// `selene playground show`: shows a stored benchmark.
struct PlaygroundShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a stored benchmark, or a file of `bench --json`.")

    @Argument(help: "The id, or a file.")
    var report: String

    @Option(help: "Write an HTML report with charts to this file.")
    var html: String?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let found = try await StoredReport.read(report, gateway)
            try ReportOutput.write(json: json ? found.json() : nil, text: found.text(), html: (html, found.html()))
        }
    }
}

/// `selene playground compare`: compares two stored benchmarks.
struct PlaygroundCompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two benchmarks by model: what has changed, and whether it exceeds the spread.",
        discussion: """
              selene playground compare 3 5
              selene playground compare before.json 5 --json
            """)

    @Argument(help: "The id of the first benchmark, or a file.")
    var first: String

    @Argument(help: "The id of the second benchmark, or a file.")
    var second: String

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let comparison = BenchComparison(
                try await StoredReport.read(first, gateway), try await StoredReport.read(second, gateway))
            if json {
                Terminal.line(String(decoding: try comparison.json(), as: UTF8.self))
            } else {
                Terminal.write(comparison.text())
            }
        }
    }
}

/// `selene playground remove`: deletes a stored benchmark.
struct PlaygroundRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Delete a stored benchmark.")

    @Argument(help: "The id.")
    var id: Int64

    @OptionGroup var gateway: GatewayOptions

    func run() async throws {
        try await GatewayOptions.reported {
            try await RemotePromptService(try gateway.connect()).deleteBenchRun(id)
            Terminal.line("benchmark \(id) is deleted")
        }
    }
}

/// Benchmarks by id or file.
enum StoredReport {
    /// Reads a benchmark: a whole number is the id of a stored one, anything else a file.
    ///
    /// - Throws: ``GatewayClientError``, `EvaluationError`.
    static func read(_ name: String, _ gateway: GatewayOptions) async throws -> BenchReport {
        guard let id = Int64(name) else {
            guard let data = try? Data(contentsOf: URL(filePath: name)) else {
                throw EvaluationError("\(name): there is no such file")
            }
            return try BenchReport(json: data)
        }
        let run = try await RemotePromptService(try gateway.connect()).benchRun(id)
        return try BenchReport(json: JSONEncoder().encode(run.report ?? .null))
    }
}
