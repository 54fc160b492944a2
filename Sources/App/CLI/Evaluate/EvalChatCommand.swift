import ArgumentParser
import Evaluation
import Foundation
import GatewayAPI
import GatewayClient

/// `selene eval chat FILE`: asks a file of questions through a running gateway and measures the answers.
struct EvalChatCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Measure answers to a file of questions: citations, refusals, latency.",
        discussion: """
            FILE has a JSON object on each line:

              {"question": "When is the tide highest?", "words": ["full moon"], "notes": ["spring tide", 12]}
              {"id": "q2", "question": "What is my shoe size?", "unanswerable": true}

            "words" must all be in the answer, case ignored. "notes" (titles or ids) must be among the passages. \
            "unanswerable" expects that the answer says so.

              selene eval chat questions.jsonl
              selene eval chat questions.jsonl --models llama3.2,gemma3:270m --html answers.html
              selene eval chat questions.jsonl --gate 'support>=0.9' --gate 'llama3.2.first_token_p95<=2000'

            Figures for gates: support, withdrawn, invented, refused, wrongly_refused, words, notes, cited_notes, failed (shares), \
            first_token_p50, first_token_p95, total_p50, total_p95 (milliseconds).

            Ctrl-C stops the answer in progress and reports what was measured.
            Exit codes: 0 done, 1 failed, 2 a gate was missed, 64 wrong usage, 65 wrong file, 130 interrupted.
            """)

    @Argument(help: "The file of questions.")
    var file: String

    @Option(help: "The models, separated by commas (SELENE_GENERATE_MODEL; default: the gateway's).")
    var models: String?

    @Option(help: "Maximum number of passages that the first search finds, 1 to 20 (default: 6).")
    var limit: Int?

    @Flag(help: "The models may not call tools.")
    var noTools = false

    @Flag(help: "Ask for sentences that their notes say only.")
    var strict = false

    @Option(help: "A further phrase that makes a sentence a refusal; may be repeated.")
    var refusal: [String] = []

    @Option(help: "A required threshold, such as 'support>=0.9'; may be repeated.")
    var gate: [String] = []

    @Flag(help: "Keep the answers as a session.")
    var keep = false

    @Option(help: "Write an HTML report with charts to this file.")
    var html: String?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        if let limit, !(1...20).contains(limit) { throw ValidationError("--limit: expected 1 to 20, got \(limit)") }
        if let models, ModelNames.read(models).isEmpty { throw ValidationError("--models: expected a name") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let gates = try gate.map { try ChatGate(parsing: $0) }
            let url = URL(filePath: file)
            let questions = try ChatQuestion.load(url)
            let items = items(questions)
            let connection = try gateway.connect()
            let series = AnswerSeries(connection, name: "eval", keeps: keep)
            let outcomes = try await Interrupt.cancellable { try await series.run(items, label: "answers") }
            if keep { Terminal.note("the answers are in the session \(series.session)") }
            let report = ChatEvaluation(
                name: url.lastPathComponent, questions: questions.count, planned: items.count,
                answers: judged(outcomes, questions))
            try ReportOutput.write(
                json: json ? report.json() : nil, text: report.text(), html: (html, report.html()))
            if report.isPartial { throw Interrupt.exitCode }
            let failures = gates.flatMap { $0.failures(in: report) }
            for failure in failures { Terminal.note("selene: gate missed: \(failure)") }
            if !failures.isEmpty { throw ExitCode(2) }
            if report.answers.allSatisfy({ $0.outcome == .failed }) { throw ExitCode.failure }
        }
    }

    private func items(_ questions: [ChatQuestion]) -> [AnswerSeries.Item] {
        let names: [String?] = models.map { ModelNames.read($0) } ?? [GatewayOptions.model]
        return names.flatMap { model in
            questions.map { question in
                var options = ChatOptions()
                options.model = model
                options.usesTools = !noTools
                options.isStrict = strict
                options.limit = limit
                return AnswerSeries.Item(
                    subject: question.id, number: 1, question: question.question, options: options)
            }
        }
    }

    private func judged(
        _ outcomes: [AnswerSeries.Outcome], _ questions: [ChatQuestion]
    ) -> [ChatEvaluation.Answer] {
        let rule = RefusalDetector(phrases: refusal)
        return outcomes.compactMap { outcome in
            guard let question = questions.first(where: { $0.id == outcome.item.subject }) else { return nil }
            let record = outcome.run?.record ?? ChatRecord()
            return ChatEvaluation.Answer(
                question, text: outcome.run?.text ?? "",
                found: record.passages.compactMap { passage in passage.note.map { ($0, passage.title) } },
                cited: Set(record.citations.compactMap(\.note)), sample: AnswerSample(outcome, refusal: rule))
        }
    }
}
