import GRDB
package import GatewayAPI
package import Goals
import Schedules

/// Keeps `gateway_goal_matches` equal to what the rules of matching say, for the rows that changed.
///
/// A row depends on its action, its goal and the person's decision alone, so bringing changed rows up to date gives the
/// same table as computing all of it again.
struct GoalMatching {
    private let database: Database
    private let rule: DayRule

    init(_ database: Database, rule: DayRule) {
        self.database = database
        self.rule = rule
    }

    /// Whether anything changed since the last refresh.
    static func isDue(_ database: Database) throws -> Bool {
        try Scalar.integer(database, sql: "SELECT 1 FROM gateway_goal_dirty LIMIT 1") != nil
    }

    /// Matches changed rows, at most `limit` actions and one goal.
    ///
    /// - Returns: Whether nothing is left.
    func refresh(limit: Int) throws -> Bool {
        try spread()
        // Ids that are no text are no UUIDs; they are cleared at the end, once.
        let isNext = "SELECT DISTINCT id FROM gateway_goal_dirty WHERE kind = ? AND typeof(id) = 'text' LIMIT ?"
        let actions = try Scalar.texts(database, sql: isNext, arguments: ["action", limit])
        try refresh(actions: actions)
        for id in actions { try clear("action", id) }
        guard actions.count < limit else { return false }
        guard let goal = try Scalar.texts(database, sql: isNext, arguments: ["goal", 1]).first else {
            try database.execute(sql: "DELETE FROM gateway_goal_dirty WHERE typeof(id) <> 'text'")
            return try !Self.isDue(database)
        }
        try follow(goal)
        try refresh(goal: goal)
        try clear("goal", goal)
        return try !Self.isDue(database)
    }

    private func clear(_ kind: String, _ id: String) throws {
        try database.execute(sql: "DELETE FROM gateway_goal_dirty WHERE kind = ? AND id = ?", arguments: [kind, id])
    }

    /// Replaces the mark for everything by marks for each row.
    private func spread() throws {
        let isDue =
            try Scalar.integer(database, sql: "SELECT 1 FROM gateway_goal_dirty WHERE kind = 'everything'") != nil
        guard isDue else { return }
        try database.execute(
            sql: """
                DELETE FROM gateway_goal_dirty;
                INSERT INTO gateway_goal_dirty (kind, id) SELECT 'action', uuid_id FROM actions;
                DELETE FROM gateway_goal_matches WHERE action_id NOT IN (SELECT uuid_id FROM actions)
                OR goal_id NOT IN (SELECT uuid_id FROM goals);
                """)
    }

    // MARK: Actions

    private func refresh(actions ids: [String]) throws {
        guard !ids.isEmpty else { return }
        let goals = try rules(where: "1", [])
        for id in ids {
            let row = try Row.fetchOne(
                database,
                sql: """
                    SELECT a.*, d.day, d.zone, d.day_start FROM actions a
                    LEFT JOIN gateway_goal_days d ON d.action_id = a.uuid_id WHERE a.uuid_id = ?
                    """, arguments: [id])
            guard let row else {
                try database.execute(sql: "DELETE FROM gateway_goal_matches WHERE action_id = ?", arguments: [id])
                continue
            }
            var record = GoalRows.action(row)
            if LocalDay(parsing: record.day) == nil { try stamp(&record) }
            let found = try Row.fetchAll(
                database, sql: "SELECT * FROM gateway_goal_matches WHERE action_id = ?", arguments: [id])
            let decisions = try decisions(where: "action_id = ?", [id])
            try replace(found, by: projection(goals, record.facts.map { [$0] } ?? [], decisions))
        }
    }

    /// Fixes the day of an action that another program wrote.
    private func stamp(_ record: inout ActionRecord) throws {
        let (stamp, at) = GoalTime.stamp(start: record.startTime, logTime: record.logTime, rule: rule)
        try GoalActionStore.write(stamp, at: at, of: record.id, database)
        (record.day, record.zone, record.dayStart) = (stamp.day.description, stamp.zone, stamp.startMinute)
    }

    // MARK: Goals

    private func refresh(goal id: String) throws {
        let found = try Row.fetchAll(
            database, sql: "SELECT * FROM gateway_goal_matches WHERE goal_id = ?", arguments: [id])
        guard let goal = try rules(where: "uuid_id = ?", [id]).first else {
            return try replace(found, by: [])
        }
        let decisions = try decisions(where: "goal_id = ?", [id])
        let range = try Row.fetchOne(
            database, sql: "SELECT start_date, target_date FROM goals WHERE uuid_id = ?", arguments: [id])
        let first = GoalTime.day(range?.date("start_date"))?.description ?? ""
        let last = GoalTime.day(range?.date("target_date"))?.description ?? "9999"
        var actions: [ActionFacts] = []
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT a.*, d.day, d.zone, d.day_start FROM gateway_goal_days d JOIN actions a ON a.uuid_id = d.action_id
                WHERE d.day BETWEEN ?1 AND ?2
                UNION ALL
                SELECT a.*, d.day, d.zone, d.day_start FROM gateway_goal_decisions c
                JOIN gateway_goal_days d ON d.action_id = c.action_id JOIN actions a ON a.uuid_id = d.action_id
                WHERE c.goal_id = ?3 AND NOT d.day BETWEEN ?1 AND ?2
                """, arguments: [first, last, id])
        while let row = try rows.next() { if let facts = GoalRows.action(row).facts { actions.append(facts) } }
        try replace(found, by: projection([goal], actions, decisions))
    }

    /// Dates a target that another program changed: the days before today keep theirs.
    private func follow(_ id: String) throws {
        let amount = try Row.fetchOne(
            database, sql: "SELECT measurement_target FROM goals WHERE uuid_id = ?", arguments: [id])?
            .real("measurement_target")
        guard let amount, amount > 0 else { return }
        let today = rule.day(of: Instant(milliseconds: Timestamp.milliseconds)).description
        let latest = try Row.fetchOne(
            database,
            sql: "SELECT amount FROM gateway_goal_targets WHERE goal_id = ? ORDER BY from_day DESC LIMIT 1",
            arguments: [id])?.real(0)
        if let latest {
            if latest != amount { try GoalRecordStore.write(target: amount, from: today, of: id, database) }
            return
        }
        let entry = try Row.fetchOne(
            database,
            sql: """
                SELECT * FROM gateway_goal_history WHERE tbl = 'goals' AND entity = ? AND op IN ('insert', 'found')
                ORDER BY seq DESC LIMIT 1
                """, arguments: [id])
        guard let entry, let before = GoalEntry(entry).new?["measurement_target"]?.asReal, before > 0, before != amount
        else { return }
        try GoalRecordStore.write(target: before, from: "", of: id, database)
        try GoalRecordStore.write(target: amount, from: today, of: id, database)
    }

    // MARK: Rows

    /// The rules of goals; goals that make no sense match nothing.
    private func rules(where condition: String, _ arguments: StatementArguments) throws -> [GoalRule] {
        try Row.fetchAll(database, sql: "SELECT * FROM goals WHERE \(condition)", arguments: arguments)
            .compactMap { GoalRows.goal($0).matchingRule }
    }

    private func decisions(
        where condition: String, _ arguments: StatementArguments
    ) throws -> [ContributionProjection.Decision] {
        try Row.fetchAll(
            database, sql: "SELECT * FROM gateway_goal_decisions WHERE \(condition)", arguments: arguments
        ).compactMap { row in
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
    }

    /// One row of the table.
    private struct Match: Equatable {
        var goal: String
        var action: String
        var day: Int64
        var state: String
        var amount: Double
        var method: String
        var confidence: Double
        var matchedOn: String
    }

    private func projection(
        _ goals: [GoalRule], _ actions: [ActionFacts], _ decisions: [ContributionProjection.Decision]
    ) throws -> [Match] {
        let known = Set(actions.map(\.id))
        let computed: ContributionProjection
        do {
            computed = try ContributionProjection(
                goals: goals, actions: actions, decisions: decisions.filter { known.contains($0.pair.action) })
        } catch {
            // An amount beyond the limits counts nowhere.
            return []
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

    /// Writes only the rows that differ.
    private func replace(_ found: [Row], by wanted: [Match]) throws {
        var old: [String: Match] = [:]
        for row in found {
            let match = Match(
                goal: row.text("goal_id") ?? "", action: row.text("action_id") ?? "", day: row.integer("day") ?? 0,
                state: row.text("state") ?? "", amount: row.real("amount") ?? -1, method: row.text("method") ?? "",
                confidence: row.real("confidence") ?? -1, matchedOn: row.text("matched_on") ?? "")
            old[match.goal + match.action] = match
        }
        for match in wanted {
            if old.removeValue(forKey: match.goal + match.action) == match { continue }
            try database.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO gateway_goal_matches
                    (goal_id, action_id, day, state, amount, method, confidence, matched_on)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """
            ).execute(arguments: [
                match.goal, match.action, match.day, match.state, match.amount, match.method, match.confidence,
                match.matchedOn,
            ])
        }
        for match in old.values {
            try database.execute(
                sql: "DELETE FROM gateway_goal_matches WHERE goal_id = ? AND action_id = ?",
                arguments: [match.goal, match.action])
        }
    }
}

extension ActionRecord {
    /// The action as the rules see it; nil for one that they refuse, such as one with a negative amount.
    package var facts: ActionFacts? { try? ActionFacts(checked()) }

    /// The action as the model checks it.
    ///
    /// - Throws: ``InvalidFields``.
    package func checked() throws(InvalidFields) -> Goals.Action {
        let id = try EntityID(checking: id)
        return try Goals.Action(
            Heading(id: id, title: title, details: description, notes: notes, logTime: .earliest),
            amounts: amounts.map { Goals.Action.Amount($0.amount, $0.unit) }, durationMinutes: durationMinutes,
            stamp: DayStamp(day: try LocalDay(checking: day, "day"), zone: zone, startMinute: dayStart))
    }
}

extension GoalRecord {
    /// What makes actions count for the goal; nil for a goal that makes no sense.
    ///
    /// A milestone takes what was done up to its day. What a SMART goal lacks does not matter here.
    package var matchingRule: GoalRule? {
        guard let id = EntityID(id) else { return nil }
        let heading = Heading(id: id, title: title.isEmpty ? "?" : title, logTime: .earliest)
        let goal = try? Goals.Goal(
            Expectation(heading), target: target.map { GoalTarget($0.amount, $0.unit) },
            start: kind == "milestone" ? nil : GoalTime.day(startDate), targetDate: GoalTime.day(targetDate),
            actionability: Goals.Goal.Actionability(units: units, keywords: keywords))
        return goal.map(GoalRule.init)
    }
}

extension EntityID {
    /// Reads an id. Throws ``InvalidFields`` for other text.
    package init(checking text: String, _ field: String = "id") throws(InvalidFields) {
        guard let id = EntityID(text) else {
            throw InvalidFields(field, expected: "a UUID", got: text)
        }
        self = id
    }
}

extension LocalDay {
    /// Reads a date. Throws ``InvalidFields`` for other text and dates that do not exist.
    package init(checking text: String, _ field: String) throws(InvalidFields) {
        guard let day = LocalDay(parsing: text) else {
            throw InvalidFields(field, expected: "a date such as 2026-11-22", got: text)
        }
        self = day
    }
}
