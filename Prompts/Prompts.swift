import Mustache

/// Renders the gateway's prompts from Mustache templates that are embedded in the binary.
package struct Prompts: Sendable {
    private let answer: MustacheTemplate

    /// Parses the templates.
    ///
    /// - Throws: A Mustache parser error. A test renders every template, so a release never throws.
    package init() throws {
        answer = try MustacheTemplate(string: String(decoding: PackageResources.answer_mustache, as: UTF8.self))
    }

    /// A note that an answer may cite.
    package struct CitedNote: Sendable {
        /// The title, on one line.
        package var title: String
        package var date: String
        /// The text of the note.
        package var content: String

        package init(title: String, date: String, content: String) {
            self.title = title
            self.date = date
            self.content = content
        }
    }

    /// Renders the prompt that answers a question from notes, numbered from 1 in the given order.
    package func answer(question: String, notes: [CitedNote]) -> String {
        let numbered: [[String: String]] = notes.enumerated().map { index, note in
            [
                "number": String(index + 1), "title": note.title, "date": note.date,
                "content": note.content.split(whereSeparator: \.isNewline).joined(separator: " "),
            ]
        }
        return answer.render(["question": question, "notes": numbered] as [String: Any])
    }
}
