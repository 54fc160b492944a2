/// What bounds the reading of exports.
enum ExportLimits {
    /// The most bytes of an item, such as a conversation, before its text is known. Conversations of years are far smaller, and one
    /// item at a time is in memory.
    static let mostItemBytes = 64 << 20
    /// The most bytes of a document that is read as a tree, which takes about ten times its bytes.
    static let mostTreeBytes = 16 << 20
    /// The most tags, links and names of files of a note that are read. Programs allow about a hundred.
    static let mostNames = 1000
}
