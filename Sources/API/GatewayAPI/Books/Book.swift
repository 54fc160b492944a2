/// A book of the library, as the API returns it.
public struct Book: Codable, Sendable, Hashable {
    /// The book's id.
    public var id: Int64
    /// The title; the file's name until the file is read.
    public var title: String
    /// The authors, in the order of the title page.
    public var authors: [String]
    /// The language as a BCP 47 tag; absent when the file does not say it.
    public var language: String?
    /// `pdf`, `epub`, `docx`, `html`, `markdown` or `text`; absent until it is known.
    public var format: String?
    /// The name of the file, or the URL.
    public var source: String?
    /// How far the import is.
    public var state: State
    /// Why the import failed; absent in every other state.
    public var error: Failure?
    /// The size of the file in bytes.
    public var bytes: Int
    /// The size of the text in UTF-8 bytes.
    public var textBytes: Int
    /// The number of pages.
    public var pages: Int
    /// What pages and labels come from: `labels`, `running_heads`, `physical`, `breaks`, `headings` or `estimated`.
    public var numbering: String?
    /// The number of passages.
    public var passages: Int
    /// The passages that have a vector in the active embedding space.
    public var embedded: Int
    /// How far the reader has read; absent for no limit.
    public var position: Position?
    /// Whether the book never reaches a model on another machine.
    public var isPrivate: Bool
    /// The earlier edition of the same book.
    public var editionOf: Int64?
    /// Whether `GET /api/books/:id/cover` returns an image.
    public var hasCover: Bool
    /// What the reader must know about the file.
    public var notices: [Notice]
    /// The job of the latest import.
    public var job: Int64?
    /// When the book was added, ISO 8601 in UTC.
    public var addedAt: String
    /// When the book last changed, ISO 8601 in UTC.
    public var updatedAt: String

    /// How far the import of a book is.
    public enum State: String, Codable, Sendable, CaseIterable {
        /// The file waits for its turn.
        case pending
        /// The file is being read.
        case parsing
        /// The text can be read and found by words; vectors are still being made.
        case embedding
        /// Everything is done.
        case ready
        /// The file gave no text.
        case failed
    }

    /// Why an import failed.
    public struct Failure: Codable, Sendable, Hashable {
        /// A sentence for the reader.
        public var error: String
        /// A stable word, such as `encrypted` or `damaged`.
        public var code: String

        /// Creates a reason.
        public init(error: String, code: String) {
            self.error = error
            self.code = code
        }
    }

    /// How far a book was read.
    public struct Position: Codable, Sendable, Hashable {
        /// The bytes of the text before this offset were read.
        public var offset: Int
        /// The page that holds the last byte that was read.
        public var page: Int
        /// The printed number of that page.
        public var label: String?
        /// The share of the text that was read, 0 to 100.
        public var percent: Double
        /// When it was set, ISO 8601 in UTC.
        public var updatedAt: String

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case offset, page, label, percent
            case updatedAt = "updated_at"
        }

        /// Creates a position.
        public init(offset: Int, page: Int, label: String?, percent: Double, updatedAt: String) {
            self.offset = offset
            self.page = page
            self.label = label
            self.percent = percent
            self.updatedAt = updatedAt
        }
    }

    /// Something about a book that its reader must know.
    public struct Notice: Codable, Sendable, Hashable {
        /// A stable word, such as `failed_pages`.
        public var code: String
        /// A sentence for the reader.
        public var message: String
        /// The physical numbers of the pages that it is about.
        public var pages: [Int]

        /// Creates a notice.
        public init(code: String, message: String, pages: [Int]) {
            self.code = code
            self.message = message
            self.pages = pages
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title, authors, language, format, source, state, error, bytes, pages, numbering, passages, embedded
        case position, notices, job
        case textBytes = "text_bytes"
        case isPrivate = "is_private"
        case editionOf = "edition_of"
        case hasCover = "has_cover"
        case addedAt = "added_at"
        case updatedAt = "updated_at"
    }

    /// Creates a book that waits for its import.
    public init(id: Int64, title: String, state: State, addedAt: String) {
        self.id = id
        self.title = title
        self.state = state
        self.addedAt = addedAt
        updatedAt = addedAt
        authors = []
        (bytes, textBytes, pages, passages, embedded) = (0, 0, 0, 0, 0)
        (isPrivate, hasCover) = (false, false)
        notices = []
    }
}

/// The reply of `GET /api/books`, latest first.
public struct BookList: Codable, Sendable, Hashable {
    /// The books of this page.
    public var books: [Book]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case books
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(books: [Book], nextCursor: String?) {
        self.books = books
        self.nextCursor = nextCursor
    }
}

/// The JSON body of `POST /api/books`.
public struct BookURLRequest: Codable, Sendable, Hashable {
    /// An address with `http` or `https`.
    public var url: String
    /// Whether the book never reaches a model on another machine; false when absent.
    public var `private`: Bool?

    /// Creates a request.
    public init(url: String, private isPrivate: Bool? = nil) {
        self.url = url
        self.private = isPrivate
    }
}

/// The body of `PATCH /api/books/:id`; absent fields keep their values.
public struct BookChange: Codable, Sendable, Hashable {
    /// The new title.
    public var title: String?
    /// Whether the book never reaches a model on another machine.
    public var isPrivate: Bool?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case title
        case isPrivate = "is_private"
    }

    /// Creates a change.
    public init(title: String? = nil, isPrivate: Bool? = nil) {
        self.title = title
        self.isPrivate = isPrivate
    }
}

/// The body of `PUT /api/books/:id/position`: exactly one field.
public struct BookPositionRequest: Codable, Sendable, Hashable {
    /// A physical page that was read to its end.
    public var page: Int?
    /// A page by its printed number, read to its end.
    public var label: String?
    /// The bytes of the text that were read.
    public var offset: Int?
    /// The share of the text that was read, 0 to 100.
    public var percent: Double?

    /// Creates a request.
    public init(page: Int? = nil, label: String? = nil, offset: Int? = nil, percent: Double? = nil) {
        self.page = page
        self.label = label
        self.offset = offset
        self.percent = percent
    }
}
