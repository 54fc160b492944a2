extension ChatEvaluation {
    /// The report for a terminal: a table by model, then the answers that are wrong.
    package func text() -> String {
        var text = TextColumns.onOneLine(name) + ": " + size + "\n"
        if isPartial { text += remark + "\n" }
        let rows = models.map { model in
            [TextColumns.onOneLine(model.model), String(model.answers)]
                + shown.map { $0.text(model.figures[$0]) }
        }
        text +=
            TextColumns.aligned([["model", "answers"] + shown.map(\.title)] + rows).joined(separator: "\n") + "\n"
        for answer in answers where ![.answered, .refused].contains(answer.outcome) {
            text += TextColumns.onOneLine("\(answer.sample.model)  \(answer.id)  \(Self.words(answer))") + "\n"
        }
        return text
    }

    /// The report as one self-contained HTML page with charts.
    package func html() -> String {
        var parts = [Markup.tag("h1", [], Markup.escaped(name)), ReportPage.paragraph(size)]
        if isPartial { parts.append(ReportPage.paragraph(remark, class: "warning")) }
        parts.append(
            ReportPage.table(
                ["model", "answers"] + shown.map(\.title),
                models.map { model in
                    [ReportPage.Cell(model.model), ReportPage.Cell(String(model.answers), isNumber: true)]
                        + shown.map { ReportPage.Cell($0.text(model.figures[$0]), isNumber: true) }
                }))
        parts.append(
            chart(
                "Shares, more is better", [.support, .refused, .words, .notes, .citedNotes], decimals: 2, top: 1))
        parts.append(
            chart(
                "Milliseconds", [.firstTokenMedian, .firstToken95, .totalMedian, .total95], decimals: 0, top: nil))
        parts.append(ReportPage.heading("Answers"))
        parts.append(
            ReportPage.table(
                ["question", "model", "answer", "outcome"],
                answers.map { answer in
                    [
                        ReportPage.Cell(answer.question, detail: answer.id), ReportPage.Cell(answer.sample.model),
                        ReportPage.Cell(answer.text),
                        ReportPage.Cell(
                            Self.words(answer),
                            detail: "\(answer.sample.supported) of \(answer.sample.claims) claims supported"),
                    ]
                }, textColumns: 4))
        parts.append(
            ReportPage.paragraph(
                "A claim is supported when the notes that it cites say it. Refused: unanswerable questions whose answer is "
                    + "that the notes do not say. Notes found: expected notes among the passages. Times are from the "
                    + "question to the first token and to the end.", class: "small"))
        return ReportPage.page("Answers: " + name, parts, isWide: true)
    }

    /// The figures that any model has.
    private var shown: [ChatFigure] {
        ChatFigure.allCases.filter { figure in models.contains { $0.figures[figure] != nil } }
    }

    private var size: String {
        "\(questions) question\(questions == 1 ? "" : "s"), \(models.count) model\(models.count == 1 ? "" : "s")"
    }

    private var remark: String { "partial: \(answers.count) of \(planned) answers, interrupted" }

    private static func words(_ answer: Answer) -> String {
        switch answer.outcome {
        case .answered: "answered"
        case .refused: "refused, rightly"
        case .incomplete: "lacks " + answer.missingWords.map { "“\($0)”" }.joined(separator: ", ")
        case .wronglyRefused: "wrongly refused"
        case .madeUp: "answered although the notes do not say"
        case .failed: "failed" + (answer.sample.error.map { ": " + $0 } ?? "")
        }
    }

    private func chart(_ title: String, _ figures: [ChatFigure], decimals: Int, top: Double?) -> String {
        let figures = figures.filter(shown.contains)
        return SeriesChart(
            title: title, groups: figures.map(\.title), series: models.map(\.model),
            points: figures.map { figure in models.map { $0.figures[figure].map { .init(value: $0) } } },
            decimals: decimals, top: top
        ).svg()
    }
}
