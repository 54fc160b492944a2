import Mustache

/// Renders the prompts for names and summaries of threads.
package struct ThreadPrompts: Sendable {
    private let phrase: MustacheTemplate

    /// Parses the template.
    ///
    /// - Throws: A Mustache parser error. A test renders the template, so a release never throws.
    package init() throws {
        phrase = try MustacheTemplate(string: String(decoding: PackageResources.thread_phrase_mustache, as: UTF8.self))
    }

    /// Renders the request for names and for sentences that say what notes say.
    ///
    /// - Parameters:
    ///   - names: For each wanted name the numbers of its notes.
    ///   - notes: The texts of the notes, numbered from 1.
    ///   - fence: A mark that the notes cannot know. It is removed from them, so that no note can close its fence.
    package func phrasing(names: [[Int]], notes: [String], fence: String) -> String {
        let wanted = names.enumerated().map { place, numbers in
            ["number": String(place + 1), "notes": Self.list(numbers)]
        }
        let texts = notes.enumerated().map { place, text in
            [
                "number": String(place + 1), "fence": fence,
                "content": text.split(separator: fence, omittingEmptySubsequences: false).joined(separator: " "),
            ]
        }
        var text = phrase.render(["names": wanted, "notes": texts, "fence": fence] as [String: Any])[...]
        while text.last?.isNewline ?? false { text.removeLast() }
        while text.first?.isNewline ?? false { text.removeFirst() }
        return String(text)
    }

    /// `note 1`, `the notes 1, 2 and 3`.
    private static func list(_ numbers: [Int]) -> String {
        guard numbers.count > 1, let last = numbers.last else { return "note \(numbers.first ?? 1)" }
        return "the notes " + numbers.dropLast().map(String.init).joined(separator: ", ") + " and \(last)"
    }
}
