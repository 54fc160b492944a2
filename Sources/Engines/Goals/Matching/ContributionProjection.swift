package import Schedules

/// Which actions count for which goals, computed from scratch.
///
/// The rows depend on goals, actions, meanings and decisions alone, not on their order or on earlier rows: deleting the
/// table and computing it again gives the same rows.
package struct ContributionProjection: Sendable {
    /// An action and a goal.
    package struct Pair: Hashable, Comparable, Sendable {
        /// What was done.
        package let action: EntityID
        /// What it may count for.
        package let goal: EntityID

        package init(action: EntityID, goal: EntityID) {
            self.action = action
            self.goal = goal
        }

        /// Orders by goal, then action.
        package static func < (a: Pair, b: Pair) -> Bool { a.goal == b.goal ? a.action < b.action : a.goal < b.goal }
    }

    /// What a person said about a pair.
    package struct Decision: Hashable, Sendable {
        /// What was said.
        package enum Answer: Hashable, Sendable {
            /// The suggestion is right; the amount follows from the action.
            case confirmed
            /// It does not count.
            case rejected
            /// It counts with this amount, whatever the rules say.
            case counted(Double)

            /// Of two answers of one moment, the one with the higher number counts; equal ones are the same.
            var order: (Int, Double) {
                switch self {
                case .confirmed: (0, 0)
                case .counted(let amount): (1, amount)
                case .rejected: (2, 0)
                }
            }
        }

        package let pair: Pair
        /// What was said.
        package let answer: Answer
        /// When; of several decisions the latest counts.
        package let decidedAt: Instant

        package init(_ pair: Pair, _ answer: Answer, decidedAt: Instant) {
            self.pair = pair
            self.answer = answer
            self.decidedAt = decidedAt
        }
    }

    /// A pair that a person has to decide.
    package struct Question: Equatable, Sendable {
        package let pair: Pair
        /// Why it may count.
        package let match: Match
    }

    /// What counts, by goal and action.
    package let contributions: [Contribution]
    /// What waits for a person, by goal and action; nothing of it is counted.
    package let questions: [Question]

    /// Computes the projection. The ids of goals and of actions are unique. Similarities are 0 to 1.
    ///
    /// Throws ``InvalidFields`` if a decision's amount is negative or an amount leaves the limits of a contribution.
    package init(
        goals: [GoalRule], actions: [ActionFacts], meanings: [Pair: Double] = [:], decisions: [Decision] = []
    ) throws(InvalidFields) {
        let latest = Self.latest(decisions)
        var contributions: [Contribution] = []
        var questions: [Question] = []
        let calendar = actions.sorted { $0.day < $1.day }
        for goal in goals.sorted(by: { $0.id < $1.id }) {
            let decided = latest[goal.id] ?? [:]
            // Most actions are outside of most goals' days.
            let first = Self.count(calendar) { $0 < goal.start }
            let within = calendar[first..<max(first, Self.count(calendar) { $0 <= goal.end })]
            let others = decided.isEmpty ? [] : actions.filter { decided[$0.id] != nil && !goal.isOpen(on: $0.day) }
            for action in (within + others).sorted(by: { $0.id < $1.id }) {
                let pair = Pair(action: action.id, goal: goal.id)
                let decision = decided[action.id]
                let match = Match(action, goal, meaning: meanings[pair])
                if let row = try Self.row(pair, match, decision) {
                    contributions.append(row)
                } else if decision == nil, match.verdict == .asks {
                    questions.append(Question(pair: pair, match: match))
                }
            }
        }
        self.contributions = contributions
        self.questions = questions
    }

    /// The latest decision by goal and action.
    private static func latest(_ decisions: [Decision]) -> [EntityID: [EntityID: Decision]] {
        var latest: [EntityID: [EntityID: Decision]] = [:]
        for decision in decisions {
            let pair = decision.pair
            if let other = latest[pair.goal]?[pair.action] {
                let isLater =
                    decision.decidedAt == other.decidedAt
                    ? decision.answer.order > other.answer.order : decision.decidedAt > other.decidedAt
                guard isLater else { continue }
            }
            latest[pair.goal, default: [:]][pair.action] = decision
        }
        return latest
    }

    /// How many actions, in the order of their days, come before the first one for whose day `isBefore` is false.
    private static func count(_ actions: [ActionFacts], _ isBefore: (LocalDay) -> Bool) -> Int {
        var low = 0
        var high = actions.count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(actions[middle].day) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private static func row(_ pair: Pair, _ match: Match, _ decision: Decision?) throws(InvalidFields) -> Contribution?
    {
        let amount: Double
        let method: Contribution.Method
        switch decision?.answer {
        case .rejected: return nil
        case .counted(let counted): (amount, method) = (counted, .manual)
        case .confirmed:
            guard let own = match.amount else { return nil }
            (amount, method) = (own.doubleValue, .userConfirmed)
        case nil:
            guard match.verdict == .counts, let own = match.amount else { return nil }
            (amount, method) = (own.doubleValue, .autoInferred)
        }
        return try Contribution(
            action: pair.action, goal: pair.goal, amount: amount, method: method,
            confidence: decision == nil ? match.confidence : 1, matchedOn: match.matchedOn,
            decidedAt: decision?.decidedAt)
    }
}
