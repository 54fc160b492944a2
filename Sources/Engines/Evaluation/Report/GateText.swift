import Foundation

/// The parts of a gate's text: `SUBJECT.FIGURE>=VALUE`, or `FIGURE>=VALUE` for every subject.
struct GateText {
    var subject: String?
    var figure: String
    var relation: Gate.Relation
    var threshold: Double

    /// - Parameter form: The expected form with an example, for errors.
    /// - Throws: `EvaluationError` for text of another form.
    init(parsing text: String, form: String) throws {
        guard let sign = text.firstIndex(where: { $0 == "<" || $0 == ">" }) else {
            throw EvaluationError("`\(text)` is not a gate: expected \(form)")
        }
        let rest = text[sign...]
        // The list has the longer signs first.
        guard let relation = Gate.Relation.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw EvaluationError("`\(text)` is not a gate: expected \(form)")
        }
        let number = String(rest.dropFirst(relation.rawValue.count)).trimmed
        guard let threshold = Double(number), threshold.isFinite else {
            throw EvaluationError("`\(text)` is not a gate: `\(number)` is not a number")
        }
        // Names of subjects may hold dots, names of figures may not.
        let name = String(text[..<sign]).trimmed
        let dot = name.lastIndex(of: ".")
        figure = String(dot.map { name[name.index(after: $0)...] } ?? name[...]).trimmed
        subject = dot.map { String(name[..<$0]).trimmed }
        guard subject?.isEmpty != true else { throw EvaluationError("`\(text)` is not a gate: expected \(form)") }
        self.relation = relation
        self.threshold = threshold
    }
}
