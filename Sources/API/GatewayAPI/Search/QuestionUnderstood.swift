/// What a retrieval with `analyze` understood of its question.
public struct QuestionUnderstood: Codable, Sendable, Hashable {
    /// What kind of answer the question wants.
    public var type: Kind
    /// The first second that the question is about, ISO 8601 in UTC; absent for any time.
    public var since: String?
    /// The last second that the question is about, ISO 8601 in UTC; absent for any time.
    public var until: String?
    /// The words that carry the question, in order.
    public var keywords: [String]
    /// Texts between quotation marks, which are looked for as they are written.
    public var phrases: [String]
    /// The threads that the question names.
    public var threads: [Note.ThreadReference]
    /// The books that the question names.
    public var books: [BookName]
    /// What results must not be about.
    public var excluded: [String]
    /// Whether the results keep to the time and to what is excluded. False when nothing was found that way and the question
    /// was searched as it is.
    public var applied: Bool

    /// What kind of answer a question wants.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case lookup, time, pattern, summary, comparison, knowledge
    }

    /// A book that a question names.
    public struct BookName: Codable, Sendable, Hashable {
        /// The book's id.
        public var id: Int64
        /// The book's title.
        public var title: String

        /// Creates a name.
        public init(id: Int64, title: String) {
            self.id = id
            self.title = title
        }
    }

    /// Creates an analysis.
    public init(
        type: Kind, since: String? = nil, until: String? = nil, keywords: [String] = [], phrases: [String] = [],
        threads: [Note.ThreadReference] = [], books: [BookName] = [], excluded: [String] = [], applied: Bool = true
    ) {
        self.type = type
        self.since = since
        self.until = until
        self.keywords = keywords
        self.phrases = phrases
        self.threads = threads
        self.books = books
        self.excluded = excluded
        self.applied = applied
    }
}
