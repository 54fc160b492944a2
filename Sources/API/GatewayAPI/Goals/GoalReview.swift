/// The body of `POST /api/goals/reviews`.
public struct GoalReviewRequest: Codable, Sendable, Hashable {
    /// `week` or `term`.
    public var kind: String
    /// A day of the week; yesterday's week when absent.
    public var day: String?
    /// The term's id; the latest that began when absent.
    public var term: String?
    /// Whether to keep the review as a note; false when absent.
    public var save: Bool?

    /// Creates a value from its fields.
    public init(
        kind: String, day: String? = nil, term: String? = nil, save: Bool? = nil
    ) {
        self.kind = kind
        self.day = day
        self.term = term
        self.save = save
    }
}

/// A review of a week or a term.
public struct GoalReview: Codable, Sendable, Hashable {
    /// `week` or `term`.
    public var kind: String
    /// The title of its note.
    public var title: String
    /// The first day.
    public var first: String
    /// The last day.
    public var last: String
    /// Markdown that cites actions and notes by their ids.
    public var text: String
    /// The goals, as of the last day or today.
    public var goals: [GoalReviewLine]
    /// The number of actions in these days.
    public var actions: Int
    /// Ids of the actions that the text cites.
    public var cited: [String]
    /// Ids of the notes that the text cites.
    public var citedNotes: [Int64]
    /// The note that was stored.
    public var note: Int64?
    /// What is still being matched, so that the figures may be too low; absent when nothing is.
    public var matching: MatchingState?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case kind, title, first, last, text, goals, actions, cited, note, matching
        case citedNotes = "cited_notes"
    }

    /// Creates a value from its fields.
    public init(
        kind: String, title: String, first: String, last: String, text: String, goals: [GoalReviewLine] = [],
        actions: Int, cited: [String] = [], citedNotes: [Int64] = [], note: Int64? = nil, matching: MatchingState? = nil
    ) {
        self.kind = kind
        self.title = title
        self.first = first
        self.last = last
        self.text = text
        self.goals = goals
        self.actions = actions
        self.cited = cited
        self.citedNotes = citedNotes
        self.note = note
        self.matching = matching
    }
}

/// A goal within a review.
public struct GoalReviewLine: Codable, Sendable, Hashable {
    /// The goal's id.
    public var goal: String
    /// Its title.
    public var title: String
    /// Its status.
    public var status: String
    /// 1 is the target.
    public var fraction: Double
    /// What these days added, in the goal's unit.
    public var added: Double
    /// The unit.
    public var unit: String?

    /// Creates a value from its fields.
    public init(
        goal: String, title: String, status: String, fraction: Double, added: Double, unit: String? = nil
    ) {
        self.goal = goal
        self.title = title
        self.status = status
        self.fraction = fraction
        self.added = added
        self.unit = unit
    }
}
