package import Foundation

/// A question to the notes, with what its answer must have.
package struct ChatQuestion: Sendable, Hashable {
    /// A note that the search or a tool must find.
    package enum ExpectedNote: Sendable, Hashable {
        case id(Int64)
        /// By title, case ignored.
        case title(String)
    }

    /// The id; the number of the line when the file has none.
    package var id: String
    package var question: String
    /// Words or phrases that the answer must have, case ignored.
    package var words: [String] = []
    /// Notes that must be among the passages.
    package var notes: [ExpectedNote] = []
    /// Whether the notes have no answer, so that the right answer is a refusal.
    package var isUnanswerable = false

    package init(id: String, question: String) {
        self.id = id
        self.question = question
    }

    /// Reads a file with a JSON object on each line: `question`, and optionally `id`, `words`, `notes` (ids or titles) and
    /// `unanswerable`.
    ///
    /// - Throws: `EvaluationError` with file and line.
    package static func load(_ url: URL) throws -> [ChatQuestion] {
        let lines = try TextLines(contentsOf: url).lines
        guard !lines.isEmpty else { throw EvaluationError(at: url.path, "there are no questions") }
        var seen: Set<String> = []
        return try lines.enumerated().map { number, line in
            let record: Record
            do {
                record = try JSONDecoder().decode(Record.self, from: Data(line.text.utf8))
            } catch let error as DecodingError {
                throw line.error(Self.explanation(error))
            }
            guard !record.question.trimmed.isEmpty else { throw line.error("`question` is empty") }
            if record.unanswerable ?? false, record.words != nil || record.notes != nil {
                throw line.error("an unanswerable question has neither `words` nor `notes`")
            }
            var question = ChatQuestion(id: record.id?.text ?? String(number + 1), question: record.question)
            guard seen.insert(question.id).inserted else { throw line.error("the id `\(question.id)` is there twice") }
            question.words = (record.words ?? []).filter { !$0.trimmed.isEmpty }
            question.notes = (record.notes ?? []).map(\.note)
            question.isUnanswerable = record.unanswerable ?? false
            return question
        }
    }

    private struct Record: Decodable {
        var id: Name?
        var question: String
        var words: [String]?
        var notes: [Name]?
        var unanswerable: Bool?
    }

    /// A string or a whole number.
    private struct Name: Decodable {
        var text: String
        var number: Int64?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let string = try? container.decode(String.self) {
                text = string
            } else {
                let value = try container.decode(Int64.self)
                (text, number) = (String(value), value)
            }
        }

        var note: ExpectedNote { number.map { .id($0) } ?? .title(text) }
    }

    private static func explanation(_ error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "`\(key.stringValue)` is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "`\(context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined())` has the wrong type"
        default: "not a JSON object"
        }
    }
}
