package import Foundation

/// Relevance judgements: which documents answer which queries, and how well.
package struct Qrels: Sendable, Hashable {
    /// The grade by query id and document id. Above 0 is relevant.
    package var grades: [String: [String: Int]]

    /// Creates judgements.
    package init(grades: [String: [String: Int]]) { self.grades = grades }

    /// Reads BEIR's form (`query-id TAB corpus-id TAB score`, with or without its header) or TREC's
    /// (`qid 0 docid grade`). The first line decides which.
    ///
    /// - Throws: `EvaluationError` with file and line: for a malformed line, a grade that is not a whole number, and a
    ///   document with two different grades.
    package init(contentsOf url: URL) throws {
        grades = [:]
        let lines = try TextLines(contentsOf: url).lines
        guard let first = lines.first else { throw EvaluationError(at: url.path, "there are no judgements") }
        guard let form = Form(first) else {
            throw first.error("expected `query-id TAB corpus-id TAB score` or `qid 0 docid grade`")
        }
        for line in form.hasHeader(first) ? lines.dropFirst() : lines[...] {
            let judgement = try form.judgement(line)
            if let earlier = grades[judgement.query]?[judgement.document], earlier != judgement.grade {
                throw line.error(
                    "document \(judgement.document) has grade \(judgement.grade) for query \(judgement.query), "
                        + "and had \(earlier) before")
            }
            grades[judgement.query, default: [:]][judgement.document] = judgement.grade
        }
        guard !grades.isEmpty else { throw EvaluationError(at: url.path, "there are no judgements") }
    }

    /// The number of queries with judgements.
    package var queryCount: Int { grades.count }

    /// Returns the judgements of some queries only.
    package func restricted(to queries: some Sequence<String>) -> Qrels {
        let kept = Set(queries)
        return Qrels(grades: grades.filter { kept.contains($0.key) })
    }
}

/// The layout of a line of judgements.
private enum Form {
    case beir(tabs: Bool)
    case trec

    init?(_ line: TextLines.Line) {
        let words = line.words.count
        if line.text.split(separator: "\t", omittingEmptySubsequences: false).count == 3 {
            self = .beir(tabs: true)
        } else if words == 4 {
            self = .trec
        } else if words == 3 {
            self = .beir(tabs: false)
        } else {
            return nil
        }
    }

    func hasHeader(_ line: TextLines.Line) -> Bool {
        guard case .beir = self, let last = line.words.last else { return false }
        return Form.grade(last) == nil && line.text.lowercased().hasPrefix("query")
    }

    func judgement(_ line: TextLines.Line) throws -> (query: String, document: String, grade: Int) {
        let fields: [Substring] =
            switch self {
            case .beir(tabs: true): line.text.split(separator: "\t", omittingEmptySubsequences: false)
            case .beir(tabs: false), .trec: line.words
            }
        let count = if case .trec = self { 4 } else { 3 }
        guard fields.count == count else {
            throw line.error("expected \(count) fields, found \(fields.count)")
        }
        let (query, document) = (String(fields[0]).trimmed, String(fields[count - 2]).trimmed)
        guard !query.isEmpty, !document.isEmpty else { throw line.error("an id is empty") }
        guard let grade = Form.grade(fields[count - 1]) else {
            throw line.error("the grade `\(String(fields[count - 1]).trimmed)` is not a whole number")
        }
        return (query, document, grade)
    }

    /// A grade as a whole number. Some tools write `1.0`.
    private static func grade(_ text: Substring) -> Int? {
        let text = String(text).trimmed
        return Int(text) ?? Double(text).flatMap(Int.init(exactly:))
    }
}
