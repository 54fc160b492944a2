package import GatewayAPI

/// A hit of one kind on its way into the list of all kinds.
package struct FindCandidate: Sendable {
    /// What filters look at. nil: the kind does not know it, so a filter by it finds nothing.
    package struct Labels: Sendable {
        package var tags: [String]?
        package var types: [String]?
        /// The names and the ids of threads.
        package var threads: [String]?
        /// The name in a source, such as a file.
        package var source: String?
        /// The title of a book.
        package var book: String?
        /// The names of what it is in: threads, a book, a chat.
        package var places: [String]?
        /// Whether it has a task.
        package var hasTask: Bool?
        /// When it was written, in seconds since 1970.
        package var time: Int64?

        package init() {}
    }

    package var id: String
    package var title: String
    /// The text in which words are looked for.
    package var text: String
    /// The part of the text that the kind's own search found, in UTF-8 bytes of ``text``; nil for all of it.
    package var passage: Range<Int>?
    package var place = FindHit.Place()
    package var createdAt: String?
    /// Of the hits of a group, a list shows a few; nil for a hit that stands alone.
    package var group: String?
    package var labels = Labels()

    package init(id: String, title: String, text: String) { (self.id, self.title, self.text) = (id, title, text) }
}
