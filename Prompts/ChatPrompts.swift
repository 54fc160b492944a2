import Mustache

/// Renders the prompts of a conversation over notes.
public struct ChatPrompts: Sendable {
    private let systemTemplate: MustacheTemplate
    private let questionTemplate: MustacheTemplate

    /// Parses the templates.
    ///
    /// - Throws: A Mustache parser error. A test renders every template, so a release never throws.
    public init() throws {
        systemTemplate = try MustacheTemplate(
            string: String(decoding: PackageResources.chat_system_mustache, as: UTF8.self))
        questionTemplate = try MustacheTemplate(
            string: String(decoding: PackageResources.chat_question_mustache, as: UTF8.self))
    }

    /// Renders the system prompt.
    ///
    /// - Parameter fence: The mark that ``question(_:notes:fence:)`` puts around notes in this conversation.
    public func system(hasNotes: Bool, fence: String) -> String {
        Self.trimmed(systemTemplate.render(["hasNotes": hasNotes, "fence": fence] as [String: Any]))
    }

    /// Renders a question with its notes, numbered from 1; without notes it returns the plain question.
    ///
    /// - Parameter fence: A mark that the notes cannot know, such as a random word between dashes. It is removed from
    ///   the notes, so that no note can close its fence and continue as instructions.
    public func question(_ question: String, notes: [Prompts.CitedNote], fence: String) -> String {
        guard !notes.isEmpty else { return question }
        func defused(_ text: String) -> String {
            guard !fence.isEmpty else { return text }
            return text.split(separator: fence, omittingEmptySubsequences: false).joined(separator: " ")
        }
        func line(_ text: String) -> String {
            defused(text.split(whereSeparator: \.isNewline).joined(separator: " "))
        }
        let numbered: [[String: String]] = notes.enumerated().map { index, note in
            [
                "number": String(index + 1), "title": line(note.title), "date": line(note.date),
                "content": defused(note.content), "fence": fence,
            ]
        }
        return Self.trimmed(
            questionTemplate.render(["question": question, "notes": numbered, "fence": fence] as [String: Any]))
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isNewline ?? false { text.removeLast() }
        return String(text)
    }
}
