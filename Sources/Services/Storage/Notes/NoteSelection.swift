/// Which notes a list holds.
public struct NoteSelection: Sendable, Hashable {
    /// What the title or the content contains, whatever its case; anything when nil.
    public var text: String?
    /// Written at this time or later, in seconds since 1970.
    public var since: Int64?
    /// In this thread.
    public var thread: Int64?

    /// Creates a selection; of all notes when nothing is given.
    public init(text: String? = nil, since: Int64? = nil, thread: Int64? = nil) {
        self.text = text
        self.since = since
        self.thread = thread
    }
}
