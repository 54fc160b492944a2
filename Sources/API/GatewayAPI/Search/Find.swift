/// What `GET /api/find` finds.
public enum FindKind: String, Codable, Sendable, Hashable, CaseIterable {
    case notes, books, chats, memories, threads, goals
}

/// A hit of `GET /api/find`.
public struct FindHit: Codable, Sendable, Hashable {
    /// The kind.
    public var kind: FindKind
    /// The id of the note, book, memory, thread or goal, or of a chat's session.
    public var id: String
    /// The title; empty for memories, which have none.
    public var title: String
    /// The place that matched, in one line.
    public var snippet: String
    /// Where words of the search stand in ``snippet``.
    public var highlights: [Range]
    /// Where words of the search stand in ``title``.
    public var titleHighlights: [Range]
    /// Where to open it.
    public var place: Place
    /// When it was written, as stored; absent for books and goals.
    public var createdAt: String?
    /// The place in the list: higher is better, 0 to 1. Comparable within one reply only.
    public var score: Double
    /// Further hits of the same book or session that are not in the list; only with its best hit.
    public var more: Int?
    /// Why it has its score.
    public var why: Reason

    /// A half-open range of UTF-8 bytes.
    public struct Range: Codable, Sendable, Hashable {
        /// The offset of the first byte.
        public var start: Int
        /// The offset after the last byte.
        public var end: Int

        /// Creates a range.
        public init(start: Int, end: Int) { (self.start, self.end) = (start, end) }
    }

    /// Where a hit is opened.
    public struct Place: Codable, Sendable, Hashable {
        /// Where the passage begins, in UTF-8 bytes of the note's content or the book's text.
        public var start: Int?
        /// Where the passage ends.
        public var end: Int?
        /// The physical page of a book.
        public var page: Int?
        /// The printed number of that page.
        public var label: String?
        /// The heading of a book's section.
        public var heading: String?
        /// The message of a chat.
        public var message: Int64?

        /// Creates a place.
        public init(
            start: Int? = nil, end: Int? = nil, page: Int? = nil, label: String? = nil, heading: String? = nil,
            message: Int64? = nil
        ) {
            (self.start, self.end, self.page) = (start, end, page)
            (self.label, self.heading, self.message) = (label, heading, message)
        }
    }

    /// Why a hit has its score.
    public struct Reason: Codable, Sendable, Hashable {
        /// The rank in the search of its own kind, from 1.
        public var rank: Int
        /// The words and phrases of the search that the hit has.
        public var words: [String]
        /// The share of the words that it has, 0 to 1; words such as "the" count less.
        public var coverage: Double
        /// The share of the words that its title has, 0 to 1.
        public var title: Double
        /// Whether its title is the text of the search.
        public var isExactTitle: Bool

        /// The JSON field names.
        public enum CodingKeys: String, CodingKey {
            case rank, words, coverage, title
            case isExactTitle = "exact_title"
        }

        /// Creates a reason.
        public init(rank: Int, words: [String], coverage: Double, title: Double, isExactTitle: Bool) {
            (self.rank, self.words, self.coverage) = (rank, words, coverage)
            (self.title, self.isExactTitle) = (title, isExactTitle)
        }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case kind, id, title, snippet, highlights, place, score, more, why
        case titleHighlights = "title_highlights"
        case createdAt = "created_at"
    }

    /// Creates a hit.
    public init(
        kind: FindKind, id: String, title: String, snippet: String, highlights: [Range], titleHighlights: [Range],
        place: Place, createdAt: String?, score: Double, more: Int?, why: Reason
    ) {
        (self.kind, self.id, self.title, self.snippet) = (kind, id, title, snippet)
        (self.highlights, self.titleHighlights, self.place) = (highlights, titleHighlights, place)
        (self.createdAt, self.score, self.more, self.why) = (createdAt, score, more, why)
    }
}

/// The reply of `GET /api/find`: what was found in all kinds, best first.
public struct FindResponse: Codable, Sendable, Hashable {
    /// The query as sent.
    public var query: String
    /// The query as it was understood: an equal query with its operators in one order.
    public var understood: String
    /// The number of hits in this reply.
    public var count: Int
    /// The hits, best first.
    public var results: [FindHit]
    /// The kinds that were not searched to the end.
    public var leftOut: [Remark]
    /// The kinds that were searched by words only.
    public var wordsOnly: [Remark]
    /// The cursor of the next page; absent on the last page.
    public var nextCursor: String?

    /// What is said of a kind.
    public struct Remark: Codable, Sendable, Hashable {
        /// The kind.
        public var kind: FindKind
        /// Why, in a sentence.
        public var reason: String

        /// Creates a remark.
        public init(kind: FindKind, reason: String) { (self.kind, self.reason) = (kind, reason) }
    }

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case query, understood, count, results
        case leftOut = "left_out"
        case wordsOnly = "words_only"
        case nextCursor = "next_cursor"
    }

    /// Creates a reply.
    public init(
        query: String, understood: String, results: [FindHit], leftOut: [Remark], wordsOnly: [Remark],
        nextCursor: String?
    ) {
        (self.query, self.understood, self.results) = (query, understood, results)
        count = results.count
        (self.leftOut, self.wordsOnly, self.nextCursor) = (leftOut, wordsOnly, nextCursor)
    }
}
