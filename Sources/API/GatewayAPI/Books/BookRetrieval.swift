/// The body of `POST /api/books/:id/retrieve` and `POST /api/books/retrieve`.
public struct BookRetrieveRequest: Codable, Sendable, Hashable {
    /// What to look for.
    public var query: String
    /// The maximum number of passages, 1 to 50; 6 when absent.
    public var limit: Int?
    /// Whether passages beyond the reading position may be found; only for one book, false when absent.
    public var ignorePosition: Bool?
    /// The books to search; all when absent. Only for the route without a book.
    public var books: [Int64]?
    /// Whether a reranker reorders the best passages; when absent, if one is set.
    public var rerank: RerankOption?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case query, limit, books, rerank
        case ignorePosition = "ignore_position"
    }

    /// Creates a request.
    public init(
        query: String, limit: Int? = nil, ignorePosition: Bool? = nil, books: [Int64]? = nil,
        rerank: RerankOption? = nil
    ) {
        self.rerank = rerank
        self.query = query
        self.limit = limit
        self.ignorePosition = ignorePosition
        self.books = books
    }
}

/// A part of a book that was found.
public struct BookPassage: Codable, Sendable, Hashable {
    /// The book's id.
    public var book: Int64
    /// The book's title.
    public var title: String
    /// Where the part begins, in UTF-8 bytes of the book's text.
    public var start: Int
    /// Where the part ends.
    public var end: Int
    /// The physical page on which it begins.
    public var page: Int
    /// The printed number of that page.
    public var label: String?
    /// The physical page on which it ends.
    public var lastPage: Int
    /// The heading of its section.
    public var heading: String?
    /// The part as a person reads it: words at line ends are joined, running heads are left out.
    public var text: String
    /// The score of the best passage in the part.
    public var score: Double
    /// Why it was found.
    public var why: Reason

    /// Why a part of a book was found.
    public struct Reason: Codable, Sendable, Hashable {
        /// The rank by meaning; absent when the vectors did not find it.
        public var meaning: Int?
        /// The cosine of the query's vector and the passage's; absent when the vectors did not find it.
        public var similarity: Double?
        /// The rank by words; absent when no word found it.
        public var words: Int?
        /// The words of the query that the part has.
        public var terms: [String]
        /// The reranker's score, and the rank before it; absent when it did not decide about this part.
        public var rerank: RerankedPlace?

        /// Creates a reason.
        public init(
            meaning: Int?, similarity: Double? = nil, words: Int?, terms: [String], rerank: RerankedPlace? = nil
        ) {
            self.rerank = rerank
            self.meaning = meaning
            self.similarity = similarity
            self.words = words
            self.terms = terms
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case book, title, start, end, page, label, heading, text, score, why
        case lastPage = "last_page"
    }

    /// Creates a passage.
    public init(
        book: Int64, title: String, start: Int, end: Int, page: Int, label: String?, lastPage: Int, heading: String?,
        text: String, score: Double, why: Reason
    ) {
        self.book = book
        self.title = title
        self.start = start
        self.end = end
        self.page = page
        self.label = label
        self.lastPage = lastPage
        self.heading = heading
        self.text = text
        self.score = score
        self.why = why
    }
}

/// The reply of the routes that find passages, best first.
public struct BookRetrieveResponse: Codable, Sendable, Hashable {
    /// The passages.
    public var results: [BookPassage]
    /// `hybrid`, or `keyword` when no vector was used.
    public var source: String
    /// Why no vector was used.
    public var fallbackReason: String?
    /// The offset that no passage goes beyond; absent without a limit and for several books.
    public var position: Int?
    /// What the reranker did; absent when it was not asked.
    public var rerank: RerankReport?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case results, source, position, rerank
        case fallbackReason = "fallback_reason"
    }

    /// Creates a reply.
    public init(
        results: [BookPassage], source: String, fallbackReason: String?, position: Int?, rerank: RerankReport? = nil
    ) {
        self.rerank = rerank
        self.results = results
        self.source = source
        self.fallbackReason = fallbackReason
        self.position = position
    }
}
