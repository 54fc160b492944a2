/// Something that a person did, as the API returns it.
public struct ActionRecord: Codable, Sendable, Hashable {
    /// The UUID as it was written.
    public var id: String
    /// A short name.
    public var title: String?
    /// What it was about.
    public var description: String?
    /// Notes in any form.
    public var notes: String?
    /// When it was logged, as stored.
    public var logTime: String
    /// What was measured.
    public var amounts: [GoalAmount]
    /// How long it took.
    public var durationMinutes: Double?
    /// When it began, as stored.
    public var startTime: String?
    /// The day that it counts for, fixed when it was logged.
    public var day: String
    /// The zone in force then.
    public var zone: String
    /// Minutes after midnight at which days began then.
    public var dayStart: Int
    /// The goals that it counts for.
    public var contributions: [GoalContribution]?
    /// The number of its latest change in the history; 0 before any.
    public var version: Int64

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title, description, notes, amounts, day, zone, contributions, version
        case logTime = "log_time"
        case durationMinutes = "duration_minutes"
        case startTime = "start_time"
        case dayStart = "day_start"
    }

    /// Creates a value from its fields.
    public init(
        id: String, title: String? = nil, description: String? = nil, notes: String? = nil, logTime: String,
        amounts: [GoalAmount] = [], durationMinutes: Double? = nil, startTime: String? = nil, day: String,
        zone: String, dayStart: Int, contributions: [GoalContribution]? = nil, version: Int64
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.notes = notes
        self.logTime = logTime
        self.amounts = amounts
        self.durationMinutes = durationMinutes
        self.startTime = startTime
        self.day = day
        self.zone = zone
        self.dayStart = dayStart
        self.contributions = contributions
        self.version = version
    }
}

/// That an action counts for a goal.
public struct GoalContribution: Codable, Sendable, Hashable {
    /// The action's id.
    public var action: String
    /// The goal's id.
    public var goal: String
    /// The goal's title.
    public var title: String?
    /// How much it adds, in the goal's unit.
    public var amount: Double
    /// The goal's unit; absent for a goal that counts actions.
    public var unit: String?
    /// `auto_inferred`, `user_confirmed` or `manual`.
    public var method: String
    /// 0 to 1.
    public var confidence: Double
    /// What it was matched on: `period`, `unit`, `words`, `meaning`.
    public var matchedOn: [String]

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case action, goal, title, amount, unit, method, confidence
        case matchedOn = "matched_on"
    }

    /// Creates a value from its fields.
    public init(
        action: String, goal: String, title: String? = nil, amount: Double, unit: String? = nil, method: String,
        confidence: Double, matchedOn: [String] = []
    ) {
        self.action = action
        self.goal = goal
        self.title = title
        self.amount = amount
        self.unit = unit
        self.method = method
        self.confidence = confidence
        self.matchedOn = matchedOn
    }
}

/// The reply of `GET /api/actions`, latest day first.
public struct ActionList: Codable, Sendable, Hashable {
    /// The actions of this page.
    public var actions: [ActionRecord]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?
    /// What is still being matched; absent when nothing is.
    public var matching: MatchingState?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case actions, matching
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        actions: [ActionRecord] = [], nextCursor: String? = nil, matching: MatchingState? = nil
    ) {
        self.actions = actions
        self.nextCursor = nextCursor
        self.matching = matching
    }
}

/// The body of `POST /api/actions` and `PATCH /api/actions/:id`. In a change, absent fields keep their values and
/// null clears them.
public struct ActionBody: Codable, Sendable, Hashable {
    /// A UUID for a new action; made when absent. The same id again is the same action.
    public var id: FieldUpdate<String> = .keep
    /// A short name.
    public var title: FieldUpdate<String> = .keep
    /// What it was about.
    public var description: FieldUpdate<String> = .keep
    /// Notes in any form.
    public var notes: FieldUpdate<String> = .keep
    /// What was measured; each unit once.
    public var amounts: FieldUpdate<[GoalAmount]> = .keep
    /// How long it took.
    public var durationMinutes: FieldUpdate<Double> = .keep
    /// When it began, with its offset, such as `2026-11-22T07:30:00+01:00`.
    public var startTime: FieldUpdate<String> = .keep
    /// The day that it counts for; today, or the day of `start_time`, when absent. Not in the future.
    public var day: FieldUpdate<String> = .keep
    /// The person's zone; the setting's when absent.
    public var zone: FieldUpdate<String> = .keep
    /// Minutes after midnight at which the person's days begin; the setting's when absent.
    public var dayStart: FieldUpdate<Int> = .keep
    /// Why, for the history.
    public var reason: FieldUpdate<String> = .keep

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, title, description, notes, amounts, day, zone, reason
        case durationMinutes = "duration_minutes"
        case startTime = "start_time"
        case dayStart = "day_start"
    }

    /// Creates a body without a field.
    public init() {}

    /// Tells absent fields from null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.update(String.self, forKey: .id)
        title = try container.update(String.self, forKey: .title)
        description = try container.update(String.self, forKey: .description)
        notes = try container.update(String.self, forKey: .notes)
        amounts = try container.update([GoalAmount].self, forKey: .amounts)
        durationMinutes = try container.update(Double.self, forKey: .durationMinutes)
        startTime = try container.update(String.self, forKey: .startTime)
        day = try container.update(String.self, forKey: .day)
        zone = try container.update(String.self, forKey: .zone)
        dayStart = try container.update(Int.self, forKey: .dayStart)
        reason = try container.update(String.self, forKey: .reason)
    }

    /// Leaves out what stays.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(description, forKey: .description)
        try container.encode(notes, forKey: .notes)
        try container.encode(amounts, forKey: .amounts)
        try container.encode(durationMinutes, forKey: .durationMinutes)
        try container.encode(startTime, forKey: .startTime)
        try container.encode(day, forKey: .day)
        try container.encode(zone, forKey: .zone)
        try container.encode(dayStart, forKey: .dayStart)
        try container.encode(reason, forKey: .reason)
    }
}

/// The body of `POST /api/actions/parse`: what a person said.
public struct ActionText: Codable, Sendable, Hashable {
    /// For example `ran 5 km in 28 min yesterday before work`; English or German.
    public var text: String
    /// The person's zone; the setting's when absent.
    public var zone: String?
    /// Minutes after midnight at which the person's days begin.
    public var dayStart: Int?
    /// The turn of a conversation: the same turn and text give the same proposal.
    public var turn: String?
    /// Whether to log at once what was read without doubt.
    public var confirm: Bool?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case text, zone, turn, confirm
        case dayStart = "day_start"
    }

    /// Creates a value from its fields.
    public init(
        text: String, zone: String? = nil, dayStart: Int? = nil, turn: String? = nil, confirm: Bool? = nil
    ) {
        self.text = text
        self.zone = zone
        self.dayStart = dayStart
        self.turn = turn
        self.confirm = confirm
    }
}
