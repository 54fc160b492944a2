import ArgumentParser
import Evaluation
import Facts
import Foundation

/// `selene eval memories FILE`: how well the rules find and merge what people say about themselves.
struct EvalMemoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memories",
        abstract: "Measure the memories that labelled dialogues give, without a model.",
        discussion: """
            FILE has a dialogue on each line: {"id", "language", "held_out", "turns", "facts": [{"key", "value"}], "wrong": [...]}. \
            Facts are what should be known at the end, wrong ones what must not be: corrected, or said of somebody else. \
            Dialogues with held_out are reported apart.

              selene eval memories Tests/Engines/FactsTests/Fixtures/dialogues.jsonl
            """)

    @Argument(help: "The file of the dialogues.")
    var file: String

    @Flag(help: "List what was missed, and what is known without reason.")
    var misses = false

    @Flag(help: "Print JSON.")
    var json = false

    /// The output of `--json`.
    private struct Report: Encodable {
        var calibration: FactScore
        var held_out: FactScore
    }

    func run() async throws {
        try await EvaluationFailure.reported {
            let text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
            let dialogues = try text.split(separator: "\n").enumerated().map { number, line in
                do {
                    return try JSONDecoder().decode(FactDialogue.self, from: Data(line.utf8))
                } catch {
                    throw EvaluationError("\(file), line \(number + 1): not a dialogue")
                }
            }
            let report = Report(
                calibration: FactScore(dialogues.filter { !$0.heldOut }),
                held_out: FactScore(dialogues.filter(\.heldOut)))
            try Terminal.report(report, asJSON: json) {
                for (name, score) in [("calibration", report.calibration), ("held out", report.held_out)] {
                    Terminal.line(
                        "\(name): \(score.dialogues) dialogues, \(score.labelled) facts: precision \(Self.figure(score.precision)), "
                            + "recall \(Self.figure(score.recall)), \(score.duplicates) duplicates, "
                            + "\(score.resolved) of \(score.wrong) wrong facts are not known")
                    if misses { for miss in score.misses { Terminal.line("  \(SafeText(oneLine: miss))") } }
                }
            }
        }
    }

    private static func figure(_ value: Double) -> String { String(format: "%.3f", value) }
}
