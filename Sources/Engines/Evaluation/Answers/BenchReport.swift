package import Foundation

/// A comparison of models on the same prompts, each asked several times.
package struct BenchReport: Codable, Sendable, Hashable {
    /// A prompt of the comparison.
    package struct Subject: Codable, Sendable, Hashable {
        /// The prompt's id, or the beginning of the question.
        package var id: String
        /// The version of a prompt of the library.
        package var version: String?
        /// The question as asked.
        package var text: String

        /// Creates a prompt.
        package init(id: String, version: String?, text: String) {
            self.id = id
            self.version = version
            self.text = text
        }
    }

    package var name: String
    /// Repetitions of each prompt with each model.
    package var runs: Int
    /// The answers that were planned; more than the samples of an interrupted comparison.
    package var planned: Int
    /// The prompts, in order.
    package var subjects: [Subject]
    /// The figures by model, in the order of the command.
    package var models: [AnswerSummary]
    /// The figures by prompt and model.
    package var cells: [AnswerSummary]
    /// Every answer.
    package var samples: [AnswerSample]

    /// Whether answers are missing, because the comparison was interrupted.
    package var isPartial: Bool { samples.count < planned }

    /// Summarises answers.
    package init(name: String, runs: Int, planned: Int, subjects: [Subject], samples: [AnswerSample]) {
        self.name = name
        self.runs = runs
        self.planned = planned
        self.subjects = subjects
        self.samples = samples
        var names: [String] = []
        for sample in samples where !names.contains(sample.model) { names.append(sample.model) }
        models = names.map { name in AnswerSummary(model: name, samples.filter { $0.model == name }) }
        cells = subjects.flatMap { subject in
            names.compactMap { name in
                let own = samples.filter { $0.model == name && $0.subject == subject.id }
                return own.isEmpty ? nil : AnswerSummary(model: name, subject: subject.id, own)
            }
        }
    }

    /// Reads a report.
    ///
    /// - Throws: `EvaluationError` when the data is not a report.
    package init(json: Data) throws {
        do {
            self = try JSONDecoder().decode(BenchReport.self, from: json)
        } catch {
            throw EvaluationError("not a report of a benchmark: \(error)")
        }
    }

    /// The report as JSON with sorted keys.
    ///
    /// - Throws: `EvaluationError` when a figure is not finite.
    package func json() throws -> Data { try ReportJSON.data(self) }

    /// The report for a terminal: a table by model, and one by prompt when there are several.
    package func text() -> String {
        var text = TextColumns.onOneLine(name) + ": " + size + "\n"
        if isPartial { text += remark + "\n" }
        text +=
            TextColumns.aligned([AnswerColumns.heads(first: "model")] + models.map { AnswerColumns.row($0.model, $0) })
            .joined(separator: "\n") + "\n"
        for (error, count) in failures { text += TextColumns.onOneLine("\(count) failed: \(error)") + "\n" }
        guard subjects.count > 1 else { return text }
        let rows = cells.map { AnswerColumns.row("\($0.subject ?? "")  \($0.model)", $0) }
        text += "\n" + TextColumns.aligned([AnswerColumns.heads(first: "prompt, model")] + rows).joined(separator: "\n")
        return text + "\n"
    }

    /// The report as one self-contained HTML page with charts.
    package func html() -> String {
        var parts = [Markup.tag("h1", [], Markup.escaped(name)), ReportPage.paragraph(size)]
        if isPartial { parts.append(ReportPage.paragraph(remark, class: "warning")) }
        parts.append(AnswerColumns.table(first: ["model"], models.map { ([$0.model], $0) }))
        parts += failures.map { ReportPage.paragraph("\($0.count) failed: \($0.error)", class: "warning") }
        parts += [
            chart("Milliseconds to the first token", decimals: 0, \.firstToken),
            chart("Tokens a second", decimals: 1, \.tokensPerSecond),
            shares("Citation support: share of claims", \.supported),
        ]
        if cells.contains(where: { ($0.callsTools ?? 0) > 0 }) {
            parts.append(shares("Answers with calls of tools", \.callsTools))
        }
        if subjects.count > 1 {
            parts.append(ReportPage.heading("By prompt"))
            parts.append(
                AnswerColumns.table(first: ["prompt", "model"], cells.map { ([$0.subject ?? "", $0.model], $0) }))
        }
        parts.append(ReportPage.heading("Prompts"))
        parts.append(
            ReportPage.table(
                ["prompt", "version", "question"],
                subjects.map { [.init($0.id), .init($0.version ?? "–"), .init($0.text)] }, textColumns: 3))
        parts.append(
            ReportPage.paragraph(
                "Bars show means, lines the smallest and the largest of the runs. A claim is supported when the notes that it "
                    + "cites say it. ± is the standard deviation.", class: "small"))
        return ReportPage.page("Playground: " + name, parts, isWide: true)
    }

    /// The reasons of failed answers, the most frequent first, at most five.
    private var failures: [(error: String, count: Int)] {
        var counts: [String: Int] = [:]
        for sample in samples where !sample.isDone {
            counts["\(sample.model): \(sample.error ?? "unknown")", default: 0] += 1
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5).map { ($0.key, $0.value) }
    }

    private var size: String {
        "\(Self.count(subjects.count, "prompt")), \(Self.count(models.count, "model")), \(Self.count(runs, "run")) each"
    }

    private var remark: String { "partial: \(samples.count) of \(planned) answers, interrupted" }

    private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

    private func chart(_ title: String, decimals: Int, _ figure: (AnswerSummary) -> Spread?) -> String {
        draw(title, decimals: decimals, top: nil) { cell in
            figure(cell).map { .init(value: $0.mean, low: $0.low, high: $0.high) }
        }
    }

    private func shares(_ title: String, _ figure: (AnswerSummary) -> Double?) -> String {
        draw(title, decimals: 2, top: 1) { cell in figure(cell).map { .init(value: $0) } }
    }

    private func draw(
        _ title: String, decimals: Int, top: Double?, _ point: (AnswerSummary) -> SeriesChart.Point?
    ) -> String {
        let points = subjects.map { subject in
            models.map { model in
                cells.first { $0.subject == subject.id && $0.model == model.model }.flatMap(point)
            }
        }
        return SeriesChart(
            title: title, groups: subjects.map(\.id), series: models.map(\.model), points: points, decimals: decimals,
            top: top
        ).svg()
    }
}
