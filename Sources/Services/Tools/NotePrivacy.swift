package import GatewayAPI

/// The notes that never enter a prompt to a provider on another machine.
package struct NotePrivacy: Sendable, Hashable {
    /// Notes with one of these tags, in lower case.
    package var tags: Set<String> = []
    /// Notes of one of these types, in lower case.
    package var types: Set<String> = []
    /// Notes in one of these threads, by name in lower case, or by id.
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
            let value = parts.last.map { $0.lowercased() } ?? ""
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
        note.tags.contains { tags.contains($0.lowercased()) }
            || note.noteType.map { types.contains($0.lowercased()) } ?? false
            || note.threads.contains { threads.contains($0.name.lowercased()) || threads.contains(String($0.id)) }
    }
}
