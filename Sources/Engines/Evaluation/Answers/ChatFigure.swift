/// A figure of an evaluation of answers, as gates and JSON name it.
package enum ChatFigure: String, Codable, Sendable, Hashable, CaseIterable, CodingKeyRepresentable {
    /// The share of claims that their citations support.
    case support
    /// The share of supported claims whose support the judge took away; absent without a judge.
    case withdrawn
    /// The share of citations of notes that do not exist.
    case invented
    /// The share of unanswerable questions that were refused.
    case refused
    /// The share of answerable questions that were refused.
    case wronglyRefused = "wrongly_refused"
    /// The share of questions with expected words whose answer has all of them.
    case words
    /// The share of expected notes among the passages.
    case notes
    /// The share of expected notes that the answer cites.
    case citedNotes = "cited_notes"
    /// The share of answers that did not come to their end.
    case failed
    /// The median of the milliseconds to the first token.
    case firstTokenMedian = "first_token_p50"
    /// The 95th percentile of the milliseconds to the first token.
    case firstToken95 = "first_token_p95"
    /// The median of the milliseconds to the end.
    case totalMedian = "total_p50"
    /// The 95th percentile of the milliseconds to the end.
    case total95 = "total_p95"

    /// Whether the figure is a share, 0 to 1; the others are milliseconds.
    package var isShare: Bool {
        switch self {
        case .firstTokenMedian, .firstToken95, .totalMedian, .total95: false
        default: true
        }
    }

    /// The head of its column.
    var title: String {
        switch self {
        case .support: "supported"
        case .withdrawn: "withdrawn"
        case .invented: "invented"
        case .refused: "refused"
        case .wronglyRefused: "wrongly refused"
        case .words: "words"
        case .notes: "notes found"
        case .citedNotes: "notes cited"
        case .failed: "failed"
        case .firstTokenMedian: "first p50"
        case .firstToken95: "first p95"
        case .totalMedian: "total p50"
        case .total95: "total p95"
        }
    }

    func text(_ value: Double?) -> String {
        guard let value else { return "–" }
        return isShare ? percent(value) : fixed(value, 0)
    }
}

/// A condition on an evaluation of answers, such as `llama3.2.support>=0.9`, or `support>=0.9` for every model.
package struct ChatGate: Sendable, Hashable, CustomStringConvertible {
    /// The model; nil for every model.
    package var model: String?
    package var figure: ChatFigure
    /// The comparison.
    package var relation: Gate.Relation
    /// The value that the figure is compared with.
    package var threshold: Double

    /// Reads `MODEL.FIGURE>=VALUE`, or `FIGURE>=VALUE`, with `>=`, `>`, `<=` or `<`.
    ///
    /// - Throws: `EvaluationError` for text of another form.
    package init(parsing text: String) throws {
        let parts = try GateText(parsing: text, form: "FIGURE>=VALUE or MODEL.FIGURE>=VALUE, such as support>=0.9")
        guard let figure = ChatFigure(rawValue: parts.figure) else {
            let names = ChatFigure.allCases.map(\.rawValue).joined(separator: ", ")
            throw EvaluationError("`\(text)` is not a gate: `\(parts.figure)` is none of \(names)")
        }
        (model, self.figure, relation, threshold) = (parts.subject, figure, parts.relation, parts.threshold)
    }

    /// The gate in the form that ``init(parsing:)`` reads.
    package var description: String {
        "\(model.map { $0 + "." } ?? "")\(figure.rawValue)\(relation.rawValue)\(threshold)"
    }

    /// Returns sentences about where a report fails; empty when it passes. A missing model or figure fails too.
    package func failures(in report: ChatEvaluation) -> [String] {
        let models = report.models.filter { model == nil || $0.model == model }
        guard !models.isEmpty else {
            return ["\(self): the report has \(model.map { "no model `\($0)`" } ?? "no models")"]
        }
        return models.compactMap { entry in
            guard let value = entry.figures[figure] else {
                return "\(self): \(entry.model) has no figure \(figure.rawValue)"
            }
            return relation.holds(value, threshold)
                ? nil : "\(self): \(entry.model) has \(figure.rawValue) \(fixed(value, 6))"
        }
    }
}
