package import GatewayAPI
import Text

/// The notes that never enter a prompt to a provider on another machine.
package struct NotePrivacy: Sendable, Hashable {
    /// Notes with one of these tags, folded as in a search.
    package var tags: Set<String> = []
    /// Notes of one of these types, folded.
    package var types: Set<String> = []
    /// Notes in one of these threads, by folded name or by id.
    package var threads: Set<String> = []

    /// Hides no note.
    package init() {}

    /// Reads filters such as `tag:private, type:diary, thread:Health`; a word alone is a tag.
    ///
    /// - Returns: nil when a filter has another kind or no value.
    package init?(_ text: String) {
        for item in text.split(separator: ",") {
            let filter = String(item.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            guard !filter.isEmpty else { continue }
            let parts = filter.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.last.map { TextFolding.folded(String($0)) } ?? ""
            guard !value.isEmpty else { return nil }
            switch parts.count == 1 ? "tag" : parts[0].lowercased() {
            case "tag": tags.insert(value)
            case "type": types.insert(value)
            case "thread": threads.insert(value)
            default: return nil
            }
        }
    }

    /// Whether a note is private.
    package func covers(_ note: Note) -> Bool {
        note.tags.contains(where: covers(tag:)) || note.noteType.map(covers(type:)) ?? false
            || note.threads.contains { covers(thread: $0.name) || covers(thread: $0.id) }
    }

    /// Whether notes with a tag are private.
    package func covers(tag: String) -> Bool { tags.contains(TextFolding.folded(tag)) }

    /// Whether notes of a type are private.
    package func covers(type: String) -> Bool { types.contains(TextFolding.folded(type)) }

    /// Whether notes in a thread of this name are private.
    package func covers(thread name: String) -> Bool { threads.contains(TextFolding.folded(name)) }

    /// Whether notes in a thread are private by its id.
    package func covers(thread id: Int64) -> Bool { threads.contains(String(id)) }
}
