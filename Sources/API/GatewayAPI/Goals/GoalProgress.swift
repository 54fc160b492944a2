/// How far a goal is on a day.
public struct GoalProgress: Codable, Sendable, Hashable {
    /// The day that is not over.
    public var day: String
    /// The first day that counts.
    public var start: String
    /// The last day that counts; `day` for a goal without an end.
    public var end: String
    /// The unit of the amounts; absent for a goal that counts actions, windows or days.
    public var unit: String?
    /// The total, entries, mean, kept windows or longest run.
    public var achieved: Double
    /// How much of it is wanted.
    public var needed: Double
    /// 1 is the target.
    public var fraction: Double
    /// The share of the goal's due days that are over, 0 to 1.
    public var elapsed: Double
    /// `complete`, `overachieved`, `overdue`, `behind`, `on_track` or `not_started`.
    public var status: String
    /// Amounts for each day; absent for averages and streaks.
    public var pace: GoalPace?
    /// Where it will end if it goes on as before.
    public var projection: GoalProjection?
    /// The run that lasts until the day; only for streaks.
    public var currentStreak: Int?
    /// The habit's strength, 0 to 1; only for daily windows.
    public var score: Double?
    /// The number of actions that count.
    public var entries: Int
    /// Whether something was logged on the day.
    public var isDone: Bool
    /// Whether the goal is due on the day and not skipped.
    public var isDue: Bool
    /// The days with an action, oldest first; only from the route for progress, 4000 at most.
    public var days: [GoalDay]?
    /// The judged windows, oldest first; only from the route for progress, the last 400.
    public var windows: [GoalWindow]?
    /// What is still being matched, so that the figures may be too low; absent when nothing is, and within lists.
    public var matching: MatchingState?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case day, start, end, unit, achieved, needed, fraction, elapsed, status, pace, projection, score
        case entries, days, windows, matching
        case currentStreak = "current_streak"
        case isDone = "is_done"
        case isDue = "is_due"
    }

    /// Creates a value from its fields.
    public init(
        day: String, start: String, end: String, unit: String? = nil, achieved: Double, needed: Double,
        fraction: Double, elapsed: Double, status: String, pace: GoalPace? = nil,
        projection: GoalProjection? = nil, currentStreak: Int? = nil, score: Double? = nil, entries: Int,
        isDone: Bool, isDue: Bool, days: [GoalDay]? = nil, windows: [GoalWindow]? = nil,
        matching: MatchingState? = nil
    ) {
        self.day = day
        self.start = start
        self.end = end
        self.unit = unit
        self.achieved = achieved
        self.needed = needed
        self.fraction = fraction
        self.elapsed = elapsed
        self.status = status
        self.pace = pace
        self.projection = projection
        self.currentStreak = currentStreak
        self.score = score
        self.entries = entries
        self.isDone = isDone
        self.isDue = isDue
        self.days = days
        self.windows = windows
        self.matching = matching
    }
}

/// Amounts for each day or window.
public struct GoalPace: Codable, Sendable, Hashable {
    /// The mean so far.
    public var actual: Double
    /// What each remaining day needs; absent when none remains.
    public var required: Double?

    /// Creates a value from its fields.
    public init(
        actual: Double, required: Double? = nil
    ) {
        self.actual = actual
        self.required = required
    }
}

/// Where a goal will end if the days to come are like the days so far.
public struct GoalProjection: Codable, Sendable, Hashable {
    /// The figure at the end.
    public var estimate: Double
    /// The lower end of the 80 % interval.
    public var lower: Double?
    /// The upper end.
    public var upper: Double?
    /// The day on which the target was or will be reached.
    public var reachedOn: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case estimate, lower, upper
        case reachedOn = "reached_on"
    }

    /// Creates a value from its fields.
    public init(
        estimate: Double, lower: Double? = nil, upper: Double? = nil, reachedOn: String? = nil
    ) {
        self.estimate = estimate
        self.lower = lower
        self.upper = upper
        self.reachedOn = reachedOn
    }
}

/// What counts on one day.
public struct GoalDay: Codable, Sendable, Hashable {
    /// The day.
    public var day: String
    /// The sum of the amounts.
    public var total: Double
    /// The number of actions.
    public var count: Int

    /// Creates a value from its fields.
    public init(
        day: String, total: Double, count: Int
    ) {
        self.day = day
        self.total = total
        self.count = count
    }
}

/// How a day or a week came out.
public struct GoalWindow: Codable, Sendable, Hashable {
    /// The first day.
    public var first: String
    /// The last day.
    public var last: String
    /// `kept`, `failed`, `missing`, `skipped` or `open`.
    public var result: String

    /// Creates a value from its fields.
    public init(
        first: String, last: String, result: String
    ) {
        self.first = first
        self.last = last
        self.result = result
    }
}

/// Rows of other programs, or of a large change, that the gateway is still matching with goals.
///
/// Figures lack the rows that wait, and lists lack new actions of other programs.
public struct MatchingState: Codable, Sendable, Hashable {
    /// The number of actions and goals that wait, counted up to 100,000.
    public var waiting: Int

    /// Creates a value from its fields.
    public init(waiting: Int) { self.waiting = waiting }
}

/// The reply of `GET /api/goals/today`.
public struct GoalsToday: Codable, Sendable, Hashable {
    /// The person's current day.
    public var day: String
    /// The zone that it was found with.
    public var zone: String
    /// Minutes after midnight at which days begin.
    public var dayStart: Int
    /// The goals that run today, with progress, the nearest end first; 100 at most.
    public var goals: [GoalRecord]
    /// What was logged for today, latest first; 100 at most.
    public var actions: [ActionRecord]
    /// The terms that run today.
    public var terms: [TermRecord]
    /// Actions that wait for a person's decision; counted up to 1000.
    public var questions: Int
    /// Proposals that wait to be confirmed.
    public var proposals: Int
    /// What is still being matched; absent when nothing is.
    public var matching: MatchingState?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case day, zone, goals, actions, terms, questions, proposals, matching
        case dayStart = "day_start"
    }

    /// Creates a value from its fields.
    public init(
        day: String, zone: String, dayStart: Int, goals: [GoalRecord] = [], actions: [ActionRecord] = [],
        terms: [TermRecord] = [], questions: Int, proposals: Int, matching: MatchingState? = nil
    ) {
        self.day = day
        self.zone = zone
        self.dayStart = dayStart
        self.goals = goals
        self.actions = actions
        self.terms = terms
        self.questions = questions
        self.proposals = proposals
        self.matching = matching
    }
}
