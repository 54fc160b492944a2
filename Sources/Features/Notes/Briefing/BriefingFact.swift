import GatewayAPI

/// What a card of a briefing is about, as it is stored. Titles are read anew each time, so that a stored briefing shows no
/// note that was deleted since.
struct BriefingFact: Codable, Sendable, Hashable {
    var kind: BriefingCard.Kind
    /// The notes, most relevant first.
    var notes: [Int64] = []
    var thread: Int64?
    /// The proposal of a new thread.
    var proposal: Int64?
    var tasks: [Int64]?
    var goals: [String]?
    var book: Int64?
    /// The cosine of a pair.
    var similarity: Double?
    /// A thread's notes of the last week.
    var recent: Int?
    /// A thread's notes of the four weeks before.
    var before: Int?

    /// The stable name of the card.
    var id: String {
        switch kind {
        case .openTasks, .goals, .onThisDay: kind.rawValue
        case .newThread where proposal != nil: "\(kind.rawValue):proposal-\(proposal ?? 0)"
        case .newThread, .heatingThread: "\(kind.rawValue):\(thread ?? 0)"
        case .nearPair, .forgotten: "\(kind.rawValue):" + notes.map(String.init).joined(separator: "-")
        case .book: "\(kind.rawValue):\(book ?? 0)"
        }
    }
}

enum BriefingLimits {
    /// Cards of the kinds `new_thread`, `heating_thread`, `near_pair`, `forgotten` and `book`, of each.
    static let cards = 3
    /// Tasks of the card of open tasks.
    static let tasks = 5
    /// Notes of a card of a thread or of a day.
    static let notes = 5
    /// The least cosine of a pair.
    static let similarity = 0.75
    /// The years that a note of the same day may be old.
    static let years = 30
    /// The days after which a note counts as old.
    static let oldDays: Int64 = 180
    /// The days since a book's position was set within which the book is being read.
    static let readingDays: Int64 = 60
}
