import Database
import GatewayAPI
import Goals
import Schedules

extension GoalMatching {
    /// The rules of goals; goals that make no sense match nothing.
    ///
    /// - Parameter id: The only goal; nil for all.
    func rules(of id: String?) throws -> [GoalRule] {
        let rows =
            try id.map { try session.rows(.goal, "FROM goals g WHERE g.uuid_id = $1", [.text($0)]) }
            ?? session.rows(.goal, "FROM goals g")
        let records = rows.map(GoalRows.goal)
        try meanings?.prepare("goal", records.map { ($0.id, $0.meaning) }, queues: true)
        return records.compactMap(\.matchingRule)
    }

    /// Reads a person's decision; nil for a row that makes no sense.
    static func decision(_ row: GoalRow) -> ContributionProjection.Decision? {
        guard let action = row.text("action_id").flatMap({ EntityID($0) }),
            let goal = row.text("goal_id").flatMap({ EntityID($0) })
        else { return nil }
        let answer: ContributionProjection.Decision.Answer
        switch row.text("answer") {
        case "confirmed": answer = .confirmed
        case "rejected": answer = .rejected
        case "counted":
            guard let amount = row.real("amount"), amount >= 0 else { return nil }
            answer = .counted(amount)
        default: return nil
        }
        return ContributionProjection.Decision(
            ContributionProjection.Pair(action: action, goal: goal), answer,
            decidedAt: Instant(milliseconds: row.integer("decided_at") ?? 0))
    }

    /// One row of the table.
    struct Match: Equatable {
        var goal: String
        var action: String
        var day: Int64
        var state: String
        var amount: Double
        var method: String
        var confidence: Double
        var matchedOn: String
    }

    func projection(
        _ goals: [GoalRule], _ actions: [ActionFacts], _ decisions: [ContributionProjection.Decision]
    ) -> [Match] {
        let known = Set(actions.map(\.id))
        let computed: ContributionProjection
        do {
            computed = try ContributionProjection(
                goals: goals, actions: actions, meanings: compare(goals, actions),
                decisions: decisions.filter { known.contains($0.pair.action) })
        } catch {
            // An amount beyond the limits counts nowhere, and takes no other action with it.
            guard actions.count > 1 else { return [] }
            return actions.flatMap { projection(goals, [$0], decisions) }
        }
        let days = Dictionary(actions.map { ($0.id, Int64($0.day.number)) }) { first, _ in first }
        return computed.contributions.map { row in
            Match(
                goal: row.goal.description, action: row.action.description, day: days[row.action] ?? 0,
                state: "counts", amount: row.amount, method: row.method.rawValue, confidence: row.confidence,
                matchedOn: row.matchedOn)
        }
            + computed.questions.map { question in
                Match(
                    goal: question.pair.goal.description, action: question.pair.action.description,
                    day: days[question.pair.action] ?? 0, state: "asks",
                    amount: question.match.amount?.doubleValue ?? 0, method: "auto_inferred",
                    confidence: question.match.confidence, matchedOn: question.match.matchedOn)
            }
    }

    /// How alike actions and goals are, where that can matter.
    private func compare(_ goals: [GoalRule], _ actions: [ActionFacts]) -> [ContributionProjection.Pair: Double] {
        guard let meanings else { return [:] }
        var found: [ContributionProjection.Pair: Double] = [:]
        for goal in goals {
            for action in actions where Goals.Match.mayCount(action, goal) {
                found[ContributionProjection.Pair(action: action.id, goal: goal.id)] = meanings.similarity(
                    action.id, goal.id)
            }
        }
        return found
    }

    /// Goals and days whose matches changed.
    struct Changes {
        fileprivate var days: [String: Set<Int64>] = [:]
    }

    /// Writes only the rows that differ.
    func replace(_ found: [GoalRow], by wanted: [Match], _ changed: inout Changes) throws {
        var old: [String: Match] = [:]
        for row in found {
            let match = Match(
                goal: row.text("goal_id") ?? "", action: row.text("action_id") ?? "", day: row.integer("day") ?? 0,
                state: row.text("state") ?? "", amount: row.real("amount") ?? -1, method: row.text("method") ?? "",
                confidence: row.real("confidence") ?? -1, matchedOn: row.text("matched_on") ?? "")
            old[match.goal + match.action] = match
        }
        for match in wanted {
            let before = old.removeValue(forKey: match.goal + match.action)
            if before == match { continue }
            if let before { changed.days[match.goal, default: []].insert(before.day) }
            changed.days[match.goal, default: []].insert(match.day)
            try session.run(
                """
                INSERT INTO gateway_goal_matches
                (goal_id, action_id, day, state, amount, method, confidence, matched_on)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
                ON CONFLICT (goal_id, action_id) DO UPDATE SET day = $3, state = $4, amount = $5, method = $6,
                confidence = $7, matched_on = $8
                """,
                [
                    .text(match.goal), .text(match.action), .integer(match.day), .text(match.state),
                    .real(match.amount), .text(match.method), .real(match.confidence), .text(match.matchedOn),
                ])
        }
        for match in old.values {
            changed.days[match.goal, default: []].insert(match.day)
            try session.run(
                "DELETE FROM gateway_goal_matches WHERE goal_id = $1 AND action_id = $2",
                [.text(match.goal), .text(match.action)])
        }
    }

    // MARK: Totals

    /// Sums up the days that changed, and counts the changes of their goals.
    func updateTotals(_ changed: Changes) throws {
        for (goal, days) in changed.days {
            for day in days { try sumUp(goal, day) }
            try session.run(
                """
                INSERT INTO gateway_goal_revisions (goal_id, revision) VALUES ($1, 1)
                ON CONFLICT (goal_id) DO UPDATE SET revision = gateway_goal_revisions.revision + 1
                """, [.text(goal)])
        }
    }

    private func sumUp(_ goal: String, _ day: Int64) throws {
        let rows = try session.rows(
            "SELECT amount FROM gateway_goal_matches WHERE goal_id = $1 AND state = 'counts' AND day = $2",
            [.text(goal), .integer(day)])
        guard !rows.isEmpty else {
            try session.run(
                "DELETE FROM gateway_goal_totals WHERE goal_id = $1 AND day = $2", [.text(goal), .integer(day)])
            return
        }
        let sum = rows.reduce(Rational?.some(.zero)) { sum, row in
            sum.flatMap { sum in row.real(0).flatMap { Rational($0) }.flatMap { sum.adding($0) } }
        }
        try session.run(
            """
            INSERT INTO gateway_goal_totals (goal_id, day, numerator, denominator, count) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (goal_id, day) DO UPDATE SET numerator = $3, denominator = $4, count = $5
            """,
            [
                .text(goal), .integer(day), .text(sum.map { "\($0.numerator)" }),
                .text(sum.map { "\($0.denominator)" }), .count(rows.count),
            ])
    }

    /// A stored total; nil for one that is not stored.
    static func total(_ numerator: String?, _ denominator: String?) -> Rational? {
        guard let above = numerator.flatMap({ Int128($0) }), let below = denominator.flatMap({ Int128($0) }) else {
            return nil
        }
        return Rational(above, over: below)
    }
}
