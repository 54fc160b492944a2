package import Foundation

/// A set of books with questions and the places that answer them.
///
/// A folder with `books/NAME.EXT`, `questions.jsonl` and, where books have marked units, `sections.jsonl`.
package struct BookQuestions: Sendable {
    /// A question with its evidence.
    package struct Question: Sendable, Hashable {
        package var id: String
        package var book: String
        package var text: String
        package var evidence: [Evidence]
        /// The reader has read the bytes of the text before it; nil for all.
        package var position: Int?
        /// The text that ends at the position.
        package var positionAfter: String?
        /// Whether the answer lies only beyond the position.
        package var isAhead: Bool
    }

    /// A place that answers a question: a page, a section, or a range of bytes, which may have its text.
    package struct Evidence: Sendable, Hashable, Decodable {
        package var page: Int?
        package var section: Int?
        package var start: Int?
        package var end: Int?
        package var text: String?

        package var range: Range<Int>? {
            guard let start, let end, start >= 0, start < end else { return nil }
            return start..<end
        }
    }

    /// What counts as one result.
    package enum Unit: String, Sendable, Codable {
        case section, page
        /// Results themselves, by the bytes of the evidence that they hold.
        case span
    }

    package var name: String
    /// The files by the books' names; a text file is preferred, since offsets are bytes of it.
    package var files: [String: URL]
    package var questions: [Question]
    /// The sections of each book, in order.
    package var sections: [String: [Range<Int>]]
    package var unit: Unit

    private struct QuestionRecord: Decodable {
        var id: String?
        var book: String
        var question: String
        var evidence: [Evidence]
        var position: Int?
        var position_after: String?
        var ahead: Bool?
    }

    private struct SectionRecord: Decodable {
        var book: String
        var start: Int
        var end: Int
    }

    /// Loads a set.
    ///
    /// - Throws: `EvaluationError` that names the file and the line.
    package init(contentsOf folder: URL) throws {
        name = folder.standardizedFileURL.lastPathComponent
        let books = folder.appending(path: "books")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: books.path)) ?? []
        files = [:]
        for file in names.sorted() where !file.hasPrefix(".") {
            let url = books.appending(path: file)
            let book = url.deletingPathExtension().lastPathComponent
            if files[book] == nil || url.pathExtension == "txt" { files[book] = url }
        }
        guard !files.isEmpty else { throw EvaluationError("\(books.path) has no books") }
        questions = try Self.records(QuestionRecord.self, folder.appending(path: "questions.jsonl")).enumerated().map {
            Question(
                id: $1.id ?? String($0 + 1), book: $1.book, text: $1.question, evidence: $1.evidence,
                position: $1.position, positionAfter: $1.position_after, isAhead: $1.ahead ?? false)
        }
        for question in questions where files[question.book] == nil {
            throw EvaluationError("question \(question.id) is about \(question.book), which is not in \(books.path)")
        }
        sections = [:]
        let marked = folder.appending(path: "sections.jsonl")
        if FileManager.default.fileExists(atPath: marked.path) {
            for record in try Self.records(SectionRecord.self, marked)
            where 0 <= record.start && record.start < record.end {
                sections[record.book, default: []].append(record.start..<record.end)
            }
        }
        let evidence = questions.flatMap(\.evidence)
        if evidence.contains(where: { $0.text != nil }) {
            unit = .span
        } else if !sections.isEmpty, evidence.contains(where: { $0.range != nil }) {
            unit = .section
        } else {
            unit = evidence.contains { $0.page != nil } ? .page : .span
        }
    }

    private static func records<Record: Decodable>(_ type: Record.Type, _ url: URL) throws -> [Record] {
        try TextLines(contentsOf: url).lines.map { line in
            do {
                return try JSONDecoder().decode(type, from: Data(line.text.utf8))
            } catch {
                throw line.error("not a valid line: \(error)")
            }
        }
    }
}
