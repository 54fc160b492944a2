/// A change that waits until a person confirms it.
public struct GoalProposal: Codable, Sendable, Hashable {
    /// Its id, made by the server.
    public var id: String
    /// What it does: `log_action`, `plan_term`, `create_goal`, `change_goal`, `create_value`, `create_measure`,
    /// `undo` or `decide`.
    public var kind: String
    /// `open`, `confirmed`, `rejected` or `expired`.
    public var state: String
    /// What would happen, in a sentence.
    public var summary: String
    /// Why it cannot be confirmed as it is; empty if it can.
    public var refusals: [String]
    /// The words that no rule understood.
    public var unread: [String]
    /// The fields that a model read, such as `day`; absent if none was asked or nothing of its answer holds.
    public var fromModel: [String]?
    /// The action as it would be logged.
    public var action: ActionRecord?
    /// The other actions, when the words tell of several deeds; absent for one.
    public var furtherActions: [ActionRecord]?
    /// The goals that the actions would count for.
    public var matches: [GoalMatch]?
    /// The bodies of what would be written.
    public var changes: [JSONValue]?
    /// The turn that made it.
    public var turn: String?
    /// Ids of the rows that were written, once it is confirmed.
    public var result: [String]
    /// When it was made.
    public var createdAt: String
    /// When it can no longer be confirmed.
    public var expiresAt: String

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case id, kind, state, summary, refusals, unread, action, matches, changes, turn, result
        case fromModel = "from_model"
        case furtherActions = "further_actions"
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }

    /// Creates a value from its fields.
    public init(
        id: String, kind: String, state: String, summary: String, refusals: [String] = [], unread: [String] = [],
        fromModel: [String]? = nil, action: ActionRecord? = nil, furtherActions: [ActionRecord]? = nil,
        matches: [GoalMatch]? = nil, changes: [JSONValue]? = nil,
        turn: String? = nil, result: [String] = [], createdAt: String, expiresAt: String
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.summary = summary
        self.refusals = refusals
        self.unread = unread
        self.fromModel = fromModel
        self.action = action
        self.furtherActions = furtherActions
        self.matches = matches
        self.changes = changes
        self.turn = turn
        self.result = result
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// The reply of `GET /api/goals/proposals`, latest first.
public struct GoalProposalList: Codable, Sendable, Hashable {
    /// The proposals of this page.
    public var proposals: [GoalProposal]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case proposals
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        proposals: [GoalProposal] = [], nextCursor: String? = nil
    ) {
        self.proposals = proposals
        self.nextCursor = nextCursor
    }
}

/// Whether an action counts for a goal, and why.
public struct GoalMatch: Codable, Sendable, Hashable {
    /// The goal's id.
    public var goal: String
    /// The goal's title.
    public var title: String?
    /// `counts`, `asks` or `no`.
    public var verdict: String
    /// 0 to 0.99.
    public var confidence: Double
    /// What the action adds, in the goal's unit.
    public var amount: Double?
    /// The goal's unit.
    public var unit: String?
    /// What the confidence is made of.
    public var shares: [GoalShare]

    /// Creates a value from its fields.
    public init(
        goal: String, title: String? = nil, verdict: String, confidence: Double, amount: Double? = nil,
        unit: String? = nil, shares: [GoalShare] = []
    ) {
        self.goal = goal
        self.title = title
        self.verdict = verdict
        self.confidence = confidence
        self.amount = amount
        self.unit = unit
        self.shares = shares
    }
}

/// The share of one comparison.
public struct GoalShare: Codable, Sendable, Hashable {
    /// `period`, `unit`, `words` or `meaning`.
    public var component: String
    /// Its part of the confidence, in thousandths.
    public var points: Int
    /// Why.
    public var reason: String

    /// Creates a value from its fields.
    public init(
        component: String, points: Int, reason: String
    ) {
        self.component = component
        self.points = points
        self.reason = reason
    }
}

/// An action that may count for a goal, which a person has to decide.
public struct GoalQuestion: Codable, Sendable, Hashable {
    /// The action.
    public var action: ActionRecord
    /// The goal, and why it may count.
    public var match: GoalMatch

    /// Creates a value from its fields.
    public init(
        action: ActionRecord, match: GoalMatch
    ) {
        self.action = action
        self.match = match
    }
}

/// The reply of `GET /api/goals/questions`, latest day first.
public struct GoalQuestionList: Codable, Sendable, Hashable {
    /// The questions of this page.
    public var questions: [GoalQuestion]
    /// The start of the next page; absent on the last one.
    public var nextCursor: String?
    /// What is still being matched; absent when nothing is.
    public var matching: MatchingState?

    /// The JSON field names.
    public enum CodingKeys: String, CodingKey {
        case questions, matching
        case nextCursor = "next_cursor"
    }

    /// Creates a value from its fields.
    public init(
        questions: [GoalQuestion] = [], nextCursor: String? = nil, matching: MatchingState? = nil
    ) {
        self.questions = questions
        self.nextCursor = nextCursor
        self.matching = matching
    }
}

/// The body of `POST /api/goals/decisions`.
public struct GoalDecision: Codable, Sendable, Hashable {
    /// The action's id.
    public var action: String
    /// The goal's id.
    public var goal: String
    /// `confirmed`, `rejected`, `counted` (with an amount) or `open` (forget the decision).
    public var answer: String
    /// What the action adds, in the goal's unit; only with `counted`.
    public var amount: Double?

    /// Creates a value from its fields.
    public init(
        action: String, goal: String, answer: String, amount: Double? = nil
    ) {
        self.action = action
        self.goal = goal
        self.answer = answer
        self.amount = amount
    }
}
