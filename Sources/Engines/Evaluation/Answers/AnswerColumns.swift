/// The columns of tables of ``AnswerSummary``.
enum AnswerColumns {
    private static let titles = [
        "answers", "first token ms", "tokens/s", "tokens", "calls tools", "valid", "cites", "supported", "invents",
    ]

    static func heads(first: String) -> [String] { [first] + titles }

    static func row(_ name: String, _ summary: AnswerSummary) -> [String] {
        [TextColumns.onOneLine(name)] + figures(summary)
    }

    static func table(first: [String], _ rows: [(names: [String], summary: AnswerSummary)]) -> String {
        ReportPage.table(
            first + titles,
            rows.map { row in
                row.names.map { ReportPage.Cell($0) }
                    + figures(row.summary).map { ReportPage.Cell($0, isNumber: true) }
            }, textColumns: first.count)
    }

    private static func figures(_ summary: AnswerSummary) -> [String] {
        [
            summary.failed == 0 ? "\(summary.answers)" : "\(summary.answers - summary.failed) of \(summary.answers)",
            summary.firstToken?.text(0) ?? "–", summary.tokensPerSecond?.text(1) ?? "–", summary.tokens?.text(0) ?? "–",
            percent(summary.callsTools), percent(summary.validCalls), percent(summary.cites),
            percent(summary.supported),
            percent(summary.invents),
        ]
    }
}
