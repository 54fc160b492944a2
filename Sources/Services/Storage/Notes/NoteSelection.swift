/// Filters a list of notes.
package struct NoteSelection: Sendable, Hashable {
    /// Text in the title or the content, ignoring case; any text when nil.
    package var text: String?
    /// Only notes written at this time or later, in seconds since 1970.
    package var since: Int64?
    /// Only notes in this thread.
    package var thread: Int64?

    /// Texts of links, such as `[[tide table]]`: only notes whose content has one of them, ignoring case.
    package var links: [String]?

    /// Creates a selection; all notes by default.
    package init(text: String? = nil, since: Int64? = nil, thread: Int64? = nil, links: [String]? = nil) {
        self.text = text
        self.links = links
        self.since = since
        self.thread = thread
    }
}
