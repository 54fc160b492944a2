/// Filters a list of notes.
package struct NoteSelection: Sendable, Hashable {
    /// Text in the title or the content, ignoring case; any text when nil.
    package var text: String?
    /// Only notes written at this time or later, in seconds since 1970.
    package var since: Int64?
    /// Only notes in this thread.
    package var thread: Int64?

    /// Creates a selection; all notes by default.
    package init(text: String? = nil, since: Int64? = nil, thread: Int64? = nil) {
        self.text = text
        self.since = since
        self.thread = thread
    }
}
