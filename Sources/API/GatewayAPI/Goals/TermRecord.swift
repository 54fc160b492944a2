/// A term, as the API returns it.
public struct TermRecord: Codable, Sendable, Hashable {
    /// The UUID as it was written.
    public var id: String
    /// Counts a person's terms, from 1.
    public var number: Int
    /// A short name.
    public var title: String?
    /// What it is about.
    public var description: String?
    /// Notes in any form.
    public var notes: String?
    /// The first day.
    public var startDate: String
    /// The last day.
    public var targetDate: String
    /// What it is about.
    public var theme: String?
    /// What the person made of it.
    public var reflection: String?
    /// `planned`, `active`, `completed`, `delayed`, `on_hold` or `cancelled`.
    public var status: String
    /// The week of today, from 1; absent outside of the term.
    public var week: Int?
    /// The number of its weeks.
    public var weeks: Int
    /// Ids of the committed goals, in the person's order.
    public var goals: [String]
    /// Ids of goals that are not committed, but whose days overlap; only for a single term, 100 at most.
    public var overlapping: [String]?
    /// The number of its latest change in the history; 0 before any.
    public var version: Int64

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, number, title, description, notes, theme, reflection, status, week, weeks, goals, overlapping
        case version
        case startDate = "start_date"
        case targetDate = "target_date"
    }

    /// Creates a value from its fields.
    public init(
        id: String, number: Int, title: String? = nil, description: String? = nil, notes: String? = nil,
        startDate: String, targetDate: String, theme: String? = nil, reflection: String? = nil, status: String,
        week: Int? = nil, weeks: Int, goals: [String] = [], overlapping: [String]? = nil, version: Int64
    ) {
        self.id = id
        self.number = number
        self.title = title
        self.description = description
        self.notes = notes
        self.startDate = startDate
        self.targetDate = targetDate
        self.theme = theme
        self.reflection = reflection
        self.status = status
        self.week = week
        self.weeks = weeks
        self.goals = goals
        self.overlapping = overlapping
        self.version = version
    }
}

/// The reply of `GET /api/terms`, latest first.
public struct TermList: Codable, Sendable, Hashable {
    /// The terms of this page.
    public var terms: [TermRecord]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case terms
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        terms: [TermRecord] = [], nextCursor: String? = nil
    ) {
        self.terms = terms
        self.nextCursor = nextCursor
    }
}

/// The body of `POST /api/terms` and `PATCH /api/terms/:id`. In a change, absent fields keep their values and null
/// clears them.
public struct TermBody: Codable, Sendable, Hashable {
    /// A UUID for a new term; made when absent.
    public var id: FieldUpdate<String> = .keep
    /// Counts a person's terms; the next one when absent.
    public var number: FieldUpdate<Int> = .keep
    /// A short name.
    public var title: FieldUpdate<String> = .keep
    /// What it is about.
    public var description: FieldUpdate<String> = .keep
    /// Notes in any form.
    public var notes: FieldUpdate<String> = .keep
    /// The first day; the day after the latest term, or today, when absent.
    public var startDate: FieldUpdate<String> = .keep
    /// The last day; ten weeks when absent.
    public var targetDate: FieldUpdate<String> = .keep
    /// What it is about.
    public var theme: FieldUpdate<String> = .keep
    /// What the person made of it.
    public var reflection: FieldUpdate<String> = .keep
    /// `planned`, `active`, `completed`, `delayed`, `on_hold` or `cancelled`; by its days when absent.
    public var status: FieldUpdate<String> = .keep
    /// Ids of the committed goals, in the person's order; replaces all. At most 100.
    public var goals: FieldUpdate<[String]> = .keep
    /// Why, for the history.
    public var reason: FieldUpdate<String> = .keep

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, number, title, description, notes, theme, reflection, status, goals, reason
        case startDate = "start_date"
        case targetDate = "target_date"
    }

    /// Creates a body without a field.
    public init() {}

    /// Tells absent fields from null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.update(String.self, forKey: .id)
        number = try container.update(Int.self, forKey: .number)
        title = try container.update(String.self, forKey: .title)
        description = try container.update(String.self, forKey: .description)
        notes = try container.update(String.self, forKey: .notes)
        startDate = try container.update(String.self, forKey: .startDate)
        targetDate = try container.update(String.self, forKey: .targetDate)
        theme = try container.update(String.self, forKey: .theme)
        reflection = try container.update(String.self, forKey: .reflection)
        status = try container.update(String.self, forKey: .status)
        goals = try container.update([String].self, forKey: .goals)
        reason = try container.update(String.self, forKey: .reason)
    }

    /// Leaves out what stays.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(number, forKey: .number)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encode(notes, forKey: .notes)
        try container.encode(startDate, forKey: .startDate)
        try container.encode(targetDate, forKey: .targetDate)
        try container.encode(theme, forKey: .theme)
        try container.encode(reflection, forKey: .reflection)
        try container.encode(status, forKey: .status)
        try container.encode(goals, forKey: .goals)
        try container.encode(reason, forKey: .reason)
    }
}
