/// A page of a book, as `GET /api/books/:id/pages/:n` returns it. Offsets are UTF-8 bytes of the book's text.
public struct BookPage: Codable, Sendable, Hashable {
    /// The book's id.
    public var book: Int64
    /// The physical number, from 1.
    public var page: Int
    /// The printed number or name, when it is known.
    public var label: String?
    /// The number of pages of the book.
    public var total: Int
    /// Where the page begins.
    public var start: Int
    /// Where the page ends.
    public var end: Int
    /// The page's text.
    public var text: String
    /// The paragraphs and other blocks that touch the page; the first and the last may reach beyond it.
    public var blocks: [Block]
    /// The lines with their boxes; only of formats with a fixed layout.
    public var lines: [Line]?
    /// The size of the page in points; only of formats with a fixed layout.
    public var width: Double?
    /// The size of the page in points; only of formats with a fixed layout.
    public var height: Double?
    /// Whether the page was cut by length and is no page of the file.
    public var isEstimated: Bool

    /// A paragraph or another block.
    public struct Block: Codable, Sendable, Hashable {
        /// `paragraph`, `heading`, `list_item`, `quote`, `code`, `table`, `caption`, `footnote` or `running_head`.
        public var kind: String
        /// Where the block begins.
        public var start: Int
        /// Where the block ends.
        public var end: Int

        /// Creates a block.
        public init(kind: String, start: Int, end: Int) {
            self.kind = kind
            self.start = start
            self.end = end
        }
    }

    /// A line of a page with a fixed layout.
    public struct Line: Codable, Sendable, Hashable {
        /// Where the line begins.
        public var start: Int
        /// Where the line ends.
        public var end: Int
        /// x, y, width and height in points, from the page's top left corner.
        public var box: [Double]

        /// Creates a line.
        public init(start: Int, end: Int, box: [Double]) {
            self.start = start
            self.end = end
            self.box = box
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case book, page, label, total, start, end, text, blocks, lines, width, height
        case isEstimated = "is_estimated"
    }

    /// Creates a page without lines.
    public init(
        book: Int64, page: Int, label: String?, total: Int, start: Int, end: Int, text: String, blocks: [Block],
        isEstimated: Bool
    ) {
        self.book = book
        self.page = page
        self.label = label
        self.total = total
        self.start = start
        self.end = end
        self.text = text
        self.blocks = blocks
        self.isEstimated = isEstimated
    }
}

/// The reply of `GET /api/books/:id/outline`.
public struct BookOutline: Codable, Sendable, Hashable {
    /// The headings in the order of the text.
    public var headings: [Heading]

    /// A heading and its section.
    public struct Heading: Codable, Sendable, Hashable {
        /// 1 to 6; 1 is the highest.
        public var level: Int
        /// The heading's text.
        public var title: String
        /// The physical page on which the section begins.
        public var page: Int
        /// The printed number of that page.
        public var label: String?
        /// Where the section begins, in bytes of the book's text.
        public var start: Int
        /// Where the section ends: at the next heading of the same or a higher level.
        public var end: Int

        /// Creates a heading.
        public init(level: Int, title: String, page: Int, label: String?, start: Int, end: Int) {
            self.level = level
            self.title = title
            self.page = page
            self.label = label
            self.start = start
            self.end = end
        }
    }

    /// Creates a reply.
    public init(headings: [Heading]) { self.headings = headings }
}

/// The reply of `GET /api/books/:id/find`, in the order of the text.
public struct BookHits: Codable, Sendable, Hashable {
    /// The hits of this page.
    public var hits: [Hit]
    /// The number of hits in the book.
    public var total: Int
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?

    /// A place where the text was found.
    public struct Hit: Codable, Sendable, Hashable {
        /// Where it begins, in bytes of the book's text.
        public var start: Int
        /// Where it ends.
        public var end: Int
        /// The physical page.
        public var page: Int
        /// The printed number of the page.
        public var label: String?
        /// Some text before it.
        public var before: String
        /// The text of the book that matches.
        public var match: String
        /// Some text after it.
        public var after: String

        /// Creates a hit.
        public init(
            start: Int, end: Int, page: Int, label: String?, before: String, match: String, after: String
        ) {
            self.start = start
            self.end = end
            self.page = page
            self.label = label
            self.before = before
            self.match = match
            self.after = after
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case hits, total
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(hits: [Hit], total: Int, nextCursor: String?) {
        self.hits = hits
        self.total = total
        self.nextCursor = nextCursor
    }
}
