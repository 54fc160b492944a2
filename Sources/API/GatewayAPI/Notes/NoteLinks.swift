/// The links of a note to other notes, and the notes that link to it.
public struct NoteLinks: Codable, Sendable, Hashable {
    /// A link in the note's text: `[[target]]`, `[[target|shown]]` or `[[target#heading]]`.
    public struct Link: Codable, Sendable, Hashable {
        /// What the link names, without the shown text and the heading.
        public var target: String
        /// The note that has this name, or nil when none has.
        public var id: Int64?
        /// That note's title.
        public var title: String?

        /// Creates a link.
        public init(target: String, id: Int64? = nil, title: String? = nil) {
            (self.target, self.id, self.title) = (target, id, title)
        }
    }

    /// A note that links to this one.
    public struct Backlink: Codable, Sendable, Hashable {
        /// The note's id.
        public var id: Int64
        /// The note's title.
        public var title: String
        /// The date of the note: ISO 8601.
        public var createdAt: String
        /// The text around the link, in one line.
        public var excerpt: String

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case id, title, excerpt
            case createdAt = "created_at"
        }

        /// Creates a backlink.
        public init(id: Int64, title: String, createdAt: String, excerpt: String) {
            (self.id, self.title, self.createdAt, self.excerpt) = (id, title, createdAt, excerpt)
        }
    }

    /// The note's id.
    public var id: Int64
    /// The links of its text in their order, each target once, at most 100.
    public var links: [Link]
    /// The newest notes that link to it, at most 50.
    public var backlinks: [Backlink]

    /// Creates a reply.
    public init(id: Int64, links: [Link], backlinks: [Backlink]) {
        (self.id, self.links, self.backlinks) = (id, links, backlinks)
    }
}
