/// A goal, milestone or obligation, as the API returns it.
public struct GoalRecord: Codable, Sendable, Hashable {
    /// The UUID as it was written.
    public var id: String
    /// `goal`, `smart`, `milestone` or `obligation`.
    public var kind: String
    /// A short name.
    public var title: String
    /// What it is about.
    public var description: String?
    /// Notes in any form.
    public var notes: String?
    /// When it was created, as stored.
    public var logTime: String
    /// 1 to 10.
    public var importance: Int
    /// 1 to 10.
    public var urgency: Int
    /// How much is wanted today.
    public var target: GoalAmount?
    /// Targets that replaced the first one, by day.
    public var changes: [GoalTargetChange]
    /// The first day that counts.
    public var startDate: String?
    /// The last day that counts; the day of a milestone, the deadline of an obligation.
    public var targetDate: String?
    /// Why it matters.
    public var relevance: String?
    /// Units of which an action needs one.
    public var units: [String]
    /// Words of which an action's title has one.
    public var keywords: [String]
    /// In weeks.
    public var expectedTermLength: Int?
    /// Who asked for an obligation.
    public var requestedBy: String?
    /// What follows if an obligation is missed.
    public var consequence: String?
    /// How actions become one figure.
    public var rule: GoalRuleBody
    /// On which days it is due today.
    public var schedule: GoalScheduleBody
    /// Schedules that replaced the first one, by day.
    public var schedules: [GoalScheduleChange]
    /// When it reminds of itself; absent for the setting of all goals.
    public var reminder: GoalReminder?
    /// Days that were skipped on purpose, latest first; 400 at most.
    public var skips: [String]
    /// The values that it serves.
    public var values: [GoalValueLink]
    /// Ids of the terms that it is committed to.
    public var terms: [String]
    /// How far it is; absent unless asked.
    public var progress: GoalProgress?
    /// The number of its latest change in the history; 0 before any.
    public var version: Int64

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, kind, title, description, notes, importance, urgency, target, changes, relevance, units
        case keywords, consequence, rule, schedule, schedules, reminder, skips, values, terms, progress, version
        case logTime = "log_time"
        case startDate = "start_date"
        case targetDate = "target_date"
        case expectedTermLength = "expected_term_length"
        case requestedBy = "requested_by"
    }

    /// Creates a value from its fields.
    public init(
        id: String, kind: String, title: String, description: String? = nil, notes: String? = nil,
        logTime: String, importance: Int, urgency: Int, target: GoalAmount? = nil,
        changes: [GoalTargetChange] = [], startDate: String? = nil, targetDate: String? = nil,
        relevance: String? = nil, units: [String] = [], keywords: [String] = [], expectedTermLength: Int? = nil,
        requestedBy: String? = nil, consequence: String? = nil, rule: GoalRuleBody, schedule: GoalScheduleBody,
        schedules: [GoalScheduleChange] = [], reminder: GoalReminder? = nil, skips: [String] = [],
        values: [GoalValueLink] = [],
        terms: [String] = [], progress: GoalProgress? = nil, version: Int64
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.description = description
        self.notes = notes
        self.logTime = logTime
        self.importance = importance
        self.urgency = urgency
        self.target = target
        self.changes = changes
        self.startDate = startDate
        self.targetDate = targetDate
        self.relevance = relevance
        self.units = units
        self.keywords = keywords
        self.expectedTermLength = expectedTermLength
        self.requestedBy = requestedBy
        self.consequence = consequence
        self.rule = rule
        self.schedule = schedule
        self.schedules = schedules
        self.reminder = reminder
        self.skips = skips
        self.values = values
        self.terms = terms
        self.progress = progress
        self.version = version
    }
}

/// An amount of a unit.
public struct GoalAmount: Codable, Sendable, Hashable {
    /// How much.
    public var amount: Double
    /// The unit as the person wrote it, such as `km`.
    public var unit: String

    /// Creates a value from its fields.
    public init(
        amount: Double, unit: String
    ) {
        self.amount = amount
        self.unit = unit
    }
}

/// A target and the first day that has it.
public struct GoalTargetChange: Codable, Sendable, Hashable {
    /// The day.
    public var from: String
    /// How much, in the target's unit.
    public var amount: Double

    /// Creates a value from its fields.
    public init(
        from: String, amount: Double
    ) {
        self.from = from
        self.amount = amount
    }
}

/// A schedule and the first day that has it.
public struct GoalScheduleChange: Codable, Sendable, Hashable {
    /// The day.
    public var from: String
    /// On which days the goal is due.
    public var schedule: GoalScheduleBody

    /// Creates a value from its fields.
    public init(
        from: String, schedule: GoalScheduleBody
    ) {
        self.from = from
        self.schedule = schedule
    }
}

/// How the actions of a goal become one figure.
public struct GoalRuleBody: Codable, Sendable, Hashable {
    /// `sum`, `count`, `average`, `each` or `streak`.
    public var kind: String
    /// `at_least` or `at_most`, for `average` and `each`.
    public var bound: String?
    /// `day` or `week`, for `each`.
    public var window: String?
    /// The percentage of windows that must keep the target, for `each`; 100 when absent.
    public var share: Int?
    /// The days of a streak.
    public var length: Int?
    /// Missed days that do not end a streak; 0 when absent.
    public var freezes: Int?

    /// Creates a value from its fields.
    public init(
        kind: String, bound: String? = nil, window: String? = nil, share: Int? = nil, length: Int? = nil,
        freezes: Int? = nil
    ) {
        self.kind = kind
        self.bound = bound
        self.window = window
        self.share = share
        self.length = length
        self.freezes = freezes
    }
}

/// On which days a goal is due.
public struct GoalScheduleBody: Codable, Sendable, Hashable {
    /// `daily`, `weekdays` or `every`.
    public var kind: String
    /// 0 (Sunday) to 6, for `weekdays`.
    public var weekdays: [Int]?
    /// The distance in days, for `every`.
    public var days: Int?
    /// A day on which it is due, for `every`.
    public var from: String?

    /// Creates a value from its fields.
    public init(
        kind: String, weekdays: [Int]? = nil, days: Int? = nil, from: String? = nil
    ) {
        self.kind = kind
        self.weekdays = weekdays
        self.days = days
        self.from = from
    }
}

/// That a goal serves a value.
public struct GoalValueLink: Codable, Sendable, Hashable {
    /// The value's id.
    public var value: String
    /// How well, 1 to 10.
    public var alignment: Int
    /// Why.
    public var notes: String?

    /// Creates a value from its fields.
    public init(
        value: String, alignment: Int, notes: String? = nil
    ) {
        self.value = value
        self.alignment = alignment
        self.notes = notes
    }
}

/// The reply of `GET /api/goals`, by target date; goals without one come last.
public struct GoalList: Codable, Sendable, Hashable {
    /// The goals of this page.
    public var goals: [GoalRecord]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?
    /// What is still being matched; absent when nothing is.
    public var matching: MatchingState?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case goals, matching
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        goals: [GoalRecord] = [], nextCursor: String? = nil, matching: MatchingState? = nil
    ) {
        self.goals = goals
        self.nextCursor = nextCursor
        self.matching = matching
    }
}

/// The body of `POST /api/goals` and `PATCH /api/goals/:id`. In a change, absent fields keep their values and null
/// clears them.
public struct GoalBody: Codable, Sendable, Hashable {
    /// A UUID for a new goal; made when absent. The same id again is the same goal.
    public var id: FieldUpdate<String> = .keep
    /// `goal`, `smart`, `milestone` or `obligation`.
    public var kind: FieldUpdate<String> = .keep
    /// A short name.
    public var title: FieldUpdate<String> = .keep
    /// What it is about.
    public var description: FieldUpdate<String> = .keep
    /// Notes in any form.
    public var notes: FieldUpdate<String> = .keep
    /// 1 to 10; 5 when absent.
    public var importance: FieldUpdate<Int> = .keep
    /// 1 to 10; 5 when absent.
    public var urgency: FieldUpdate<Int> = .keep
    /// How much is wanted. A change counts from `from` on and leaves earlier days as they were.
    public var target: FieldUpdate<GoalAmount> = .keep
    /// The first day that counts.
    public var startDate: FieldUpdate<String> = .keep
    /// The last day that counts.
    public var targetDate: FieldUpdate<String> = .keep
    /// Why it matters.
    public var relevance: FieldUpdate<String> = .keep
    /// Units of which an action needs one.
    public var units: FieldUpdate<[String]> = .keep
    /// Words of which an action's title has one.
    public var keywords: FieldUpdate<[String]> = .keep
    /// In weeks.
    public var expectedTermLength: FieldUpdate<Int> = .keep
    /// Who asked for an obligation.
    public var requestedBy: FieldUpdate<String> = .keep
    /// What follows if an obligation is missed.
    public var consequence: FieldUpdate<String> = .keep
    /// How actions become one figure; the total when absent.
    public var rule: FieldUpdate<GoalRuleBody> = .keep
    /// On which days it is due. A change counts from `from` on.
    public var schedule: FieldUpdate<GoalScheduleBody> = .keep
    /// The day from which a changed target or schedule counts: today or later; today when absent.
    public var from: FieldUpdate<String> = .keep
    /// When it reminds of itself; null for the setting of all goals.
    public var reminder: FieldUpdate<GoalReminder> = .keep
    /// The values that it serves; replaces all.
    public var values: FieldUpdate<[GoalValueLink]> = .keep
    /// Why, for the history.
    public var reason: FieldUpdate<String> = .keep

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, kind, title, description, notes, importance, urgency, target, relevance, units, keywords
        case consequence, rule, schedule, from, reminder, values, reason
        case startDate = "start_date"
        case targetDate = "target_date"
        case expectedTermLength = "expected_term_length"
        case requestedBy = "requested_by"
    }

    /// Creates a body without a field.
    public init() {}

    /// Tells absent fields from null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.update(String.self, forKey: .id)
        kind = try container.update(String.self, forKey: .kind)
        title = try container.update(String.self, forKey: .title)
        description = try container.update(String.self, forKey: .description)
        notes = try container.update(String.self, forKey: .notes)
        importance = try container.update(Int.self, forKey: .importance)
        urgency = try container.update(Int.self, forKey: .urgency)
        target = try container.update(GoalAmount.self, forKey: .target)
        startDate = try container.update(String.self, forKey: .startDate)
        targetDate = try container.update(String.self, forKey: .targetDate)
        relevance = try container.update(String.self, forKey: .relevance)
        units = try container.update([String].self, forKey: .units)
        keywords = try container.update([String].self, forKey: .keywords)
        expectedTermLength = try container.update(Int.self, forKey: .expectedTermLength)
        requestedBy = try container.update(String.self, forKey: .requestedBy)
        consequence = try container.update(String.self, forKey: .consequence)
        rule = try container.update(GoalRuleBody.self, forKey: .rule)
        schedule = try container.update(GoalScheduleBody.self, forKey: .schedule)
        from = try container.update(String.self, forKey: .from)
        reminder = try container.update(GoalReminder.self, forKey: .reminder)
        values = try container.update([GoalValueLink].self, forKey: .values)
        reason = try container.update(String.self, forKey: .reason)
    }

    /// Leaves out what stays.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(kind, forKey: .kind)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encode(notes, forKey: .notes)
        try container.encode(importance, forKey: .importance)
        try container.encode(urgency, forKey: .urgency)
        try container.encode(target, forKey: .target)
        try container.encode(startDate, forKey: .startDate)
        try container.encode(targetDate, forKey: .targetDate)
        try container.encode(relevance, forKey: .relevance)
        try container.encode(units, forKey: .units)
        try container.encode(keywords, forKey: .keywords)
        try container.encode(expectedTermLength, forKey: .expectedTermLength)
        try container.encode(requestedBy, forKey: .requestedBy)
        try container.encode(consequence, forKey: .consequence)
        try container.encode(rule, forKey: .rule)
        try container.encode(schedule, forKey: .schedule)
        try container.encode(from, forKey: .from)
        try container.encode(reminder, forKey: .reminder)
        try container.encode(values, forKey: .values)
        try container.encode(reason, forKey: .reason)
    }
}
