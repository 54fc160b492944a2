/// The briefing of a day, the reply of `GET /api/briefing/today` and `GET /api/briefing/:date`.
public struct Briefing: Codable, Sendable, Hashable {
    /// The person's day, `YYYY-MM-DD`.
    public var date: String
    /// The zone of the day, an IANA name.
    public var zone: String
    /// When the briefing was made, ISO 8601 in UTC.
    public var madeAt: String
    /// Sentences about the cards. Each one ends with the numbers of its cards, such as `[1][2]`.
    public var text: String
    /// The number of cards.
    public var count: Int
    /// The cards, most important first.
    public var cards: [BriefingCard]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case date, zone, text, count, cards
        case madeAt = "made_at"
    }

    /// Creates a briefing.
    public init(date: String, zone: String, madeAt: String, text: String, cards: [BriefingCard]) {
        self.date = date
        self.zone = zone
        self.madeAt = madeAt
        self.text = text
        count = cards.count
        self.cards = cards
    }
}

/// One thing of a briefing that may be worth a look.
public struct BriefingCard: Codable, Sendable, Hashable {
    /// The number in the briefing's text, from 1.
    public var number: Int
    /// A name that stays the same while the briefing does, such as `near_pair:12-40`.
    public var id: String
    /// What the card is about.
    public var kind: Kind
    /// A title for the card.
    public var title: String
    /// Why the card is in the briefing.
    public var reason: String
    /// A first question for a chat about the card.
    public var question: String
    /// The notes that the card is about, most relevant first.
    public var notes: [BriefingNote]
    /// The thread that the card is about.
    public var thread: Note.ThreadReference?
    /// The open proposal that a card of the kind `new_thread` is about, unless it is about a thread.
    public var proposal: Int64?
    /// The tasks of a card of the kind `open_tasks`.
    public var tasks: [TaskRecord]?
    /// The goals of a card of the kind `goals`.
    public var goals: [BriefingGoal]?
    /// The book of a card of the kind `book`.
    public var book: BriefingBook?

    /// What a card is about.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case openTasks = "open_tasks"
        /// Goals that are due on the day.
        case goals
        /// A thread of the last days.
        case newThread = "new_thread"
        /// A thread with more notes in the last week than before.
        case heatingThread = "heating_thread"
        /// Two similar notes, one of them new.
        case nearPair = "near_pair"
        /// Notes of this day in other years.
        case onThisDay = "on_this_day"
        /// An old note that is similar to a new one.
        case forgotten
        /// A book that is being read.
        case book
    }

    /// Creates a card.
    public init(
        number: Int, id: String, kind: Kind, title: String, reason: String, question: String,
        notes: [BriefingNote] = [], thread: Note.ThreadReference? = nil, proposal: Int64? = nil,
        tasks: [TaskRecord]? = nil, goals: [BriefingGoal]? = nil, book: BriefingBook? = nil
    ) {
        self.number = number
        self.id = id
        self.kind = kind
        self.title = title
        self.reason = reason
        self.question = question
        self.notes = notes
        self.thread = thread
        self.proposal = proposal
        self.tasks = tasks
        self.goals = goals
        self.book = book
    }
}

/// A note of a card.
public struct BriefingNote: Codable, Sendable, Hashable {
    /// The note's id.
    public var id: Int64
    /// The note's title.
    public var title: String
    /// When the note was written, as stored in the database.
    public var createdAt: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title
        case createdAt = "created_at"
    }

    /// Creates a note of a card.
    public init(id: Int64, title: String, createdAt: String) {
        self.id = id
        self.title = title
        self.createdAt = createdAt
    }
}

/// A goal of a card.
public struct BriefingGoal: Codable, Sendable, Hashable {
    /// The goal's id.
    public var id: String
    /// The goal's title.
    public var title: String
    /// What is reached, such as `12 of 20 km`.
    public var detail: String

    /// Creates a goal of a card.
    public init(id: String, title: String, detail: String) {
        self.id = id
        self.title = title
        self.detail = detail
    }
}

/// The book of a card.
public struct BriefingBook: Codable, Sendable, Hashable {
    /// The book's id.
    public var id: Int64
    /// The book's title.
    public var title: String
    /// The page that the reader has reached.
    public var page: Int
    /// The share of the text that was read, 0 to 100.
    public var percent: Double

    /// Creates a book of a card.
    public init(id: Int64, title: String, page: Int, percent: Double) {
        self.id = id
        self.title = title
        self.page = page
        self.percent = percent
    }
}

/// The body of `POST /api/jobs/briefing`; the body and every field may be absent.
public struct BriefingJobRequest: Codable, Sendable, Hashable {
    /// Whether a stored briefing of today is made anew; false when absent.
    public var again: Bool?

    /// Creates a request.
    public init(again: Bool? = nil) { self.again = again }
}
