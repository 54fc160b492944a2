import Text

/// The name of a model that answers from the person's own texts: `notes`, `notes:THREAD` or `book:NAME`, each also with `+MODEL`
/// for the model that writes the answer.
package struct NotesModelName: Sendable, Hashable {
    /// What the answers come from.
    package enum Subject: Sendable, Hashable {
        case notes
        /// A thread, by its id or ``slug(of:)``.
        case thread(String)
        /// A book, by its id or ``slug(of:)``.
        case book(String)
    }

    private static let maxBytes = 512

    package let subject: Subject
    /// The model behind it; nil for the gateway's own choice.
    package let model: String?

    /// Reads a name; nil for one of another model.
    package init?(_ name: String) {
        guard name.utf8.count <= Self.maxBytes else { return nil }
        let parts = name.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        model = parts.count > 1 ? String(parts[1]) : nil
        guard let first = parts.first, model?.isEmpty != true else { return nil }
        var words = first.lowercased().split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        // Clients of Ollama add the tag that it takes for granted.
        if words.count > 1, words.last == "latest" { words.removeLast() }
        let rest = words.dropFirst().joined(separator: ":")
        switch (words.first, rest.isEmpty) {
        case ("notes", true) where words.count == 1: subject = .notes
        case ("notes", false): subject = .thread(rest)
        case ("book", false): subject = .book(rest)
        default: return nil
        }
    }

    /// A title as a part of a name: its letters and digits, folded, with hyphens between words. Empty when it has none.
    package static func slug(of title: String) -> String {
        let words = TextFolding.folded(title).split { !$0.isLetter && !$0.isNumber }
        var slug = ""
        for word in words {
            guard slug.isEmpty || slug.count + word.count < 60 else { break }
            slug += (slug.isEmpty ? "" : "-") + word.prefix(60)
        }
        return slug
    }
}
