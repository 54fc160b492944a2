import ArgumentParser
import Foundation
import GatewayAPI

/// A note as text for an editor: front matter with title and revision, then the content.
///
/// Text that does not begin with a line `---` is content only.
struct NoteText: Equatable {
    private static let fence = "---"
    private static let feed = UInt8(ascii: "\n")

    /// nil keeps the title.
    var title: String?
    /// The revision that was read; nil for text without front matter, or without this line.
    var revision: String?
    var content: String

    /// The text form of a note.
    init(_ note: Note) { (title, revision, content) = (note.title, note.revision, note.content) }

    /// Reads the text form.
    ///
    /// - Parameter known: The note's content so far. When it has no line feed at its end, one that an editor or a shell
    ///   added is dropped.
    /// - Throws: `ValidationError` for front matter without an end, and for unknown lines of it.
    init(parsing text: String, known: String) throws {
        content = ""
        var rest = text[...]
        var start = rest
        if let first = Self.line(from: &start), first == Self.fence {
            rest = start
            var isOpen = true
            while isOpen, let line = Self.line(from: &rest) {
                if line == Self.fence { isOpen = false } else { try read(line) }
            }
            guard !isOpen else {
                throw ValidationError(
                    "the text begins with ---, but no second line --- ends the title and the revision")
            }
        }
        content = String(rest)
        if content.utf8.last == Self.feed, known.utf8.last != Self.feed { content.unicodeScalars.removeLast() }
    }

    /// Reads a line between the two lines `---`.
    private mutating func read(_ line: Substring) throws {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let value = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        switch parts.first {
        case "title" where !value.isEmpty: title = value
        case "revision" where !value.isEmpty: revision = value
        default:
            guard line.contains(where: { !$0.isWhitespace }) else { return }
            throw ValidationError(
                "between the lines ---, expected \"title: …\" and \"revision: …\", got \"\(line.prefix(80))\"")
        }
    }

    /// Takes a line from the beginning of a text, without its end; nil when no line feed is left.
    private static func line(from text: inout Substring) -> Substring? {
        guard let end = text.utf8.firstIndex(of: feed) else { return nil }
        let line = text.unicodeScalars[..<end]
        text = text[text.utf8.index(after: end)...]
        return Substring(line.last == "\r" ? line.dropLast() : line)
    }

    /// The text, with a line feed at its end.
    var text: String {
        var front = [Self.fence]
        if let title { front.append("title: \(title)") }
        if let revision { front.append("revision: \(revision)") }
        front.append(Self.fence)
        return front.joined(separator: "\n") + "\n" + content + (content.utf8.last == Self.feed ? "" : "\n")
    }
}
