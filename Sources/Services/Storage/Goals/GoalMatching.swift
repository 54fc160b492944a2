import GRDB
package import GatewayAPI
package import Goals
import Schedules

/// Keeps `gateway_goal_matches` equal to what the rules of matching say, for the rows that changed, in steps of bounded work.
///
/// A row depends on its action, its goal and the person's decision alone, so bringing changed rows up to date gives the
/// same table as computing all of it again.
struct GoalMatching {
    /// How much one step does. An action that is compared with all goals counts ``action``, an action that is compared with
    /// one goal counts 1.
    enum Work {
        static let action = 5
        /// What a reader waits for.
        static let read = 1000
        /// What a writer waits for, its own rows first.
        static let write = 2000
        /// A step of a worker, during which other writers wait.
        static let background = 1000
    }

    /// Rows that ``waiting(_:)`` counts at most.
    static let maxCounted = 100_000

    let database: Database
    let rule: DayRule
    /// Nil where no meanings are compared.
    let meanings: GoalMeanings?

    init(_ database: Database, rule: DayRule) throws {
        self.database = database
        self.rule = rule
        meanings = try GoalMeanings(database)
    }

    /// Whether anything is left to match.
    static func isDue(_ database: Database) throws -> Bool {
        try database.compiledRow(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM gateway_goal_dirty) OR EXISTS (SELECT 1 FROM gateway_goal_sweeps)
            """) != nil
    }

    /// The number of actions and goals that are left, up to ``maxCounted``.
    static func waiting(_ database: Database) throws -> Int {
        let isEverything =
            try Scalar.integer(database, sql: "SELECT 1 FROM gateway_goal_dirty WHERE kind = 'everything'") != nil
        return try Scalar.count(
            database,
            sql: """
                SELECT (SELECT count(*) FROM (SELECT 1 FROM \(isEverything ? "actions" : "gateway_goal_dirty") LIMIT ?))
                + (SELECT count(*) FROM gateway_goal_sweeps)
                """, arguments: [maxCounted]) ?? 0
    }

    /// Matches changed rows, those that changed last first.
    ///
    /// - Returns: Whether nothing is left.
    func step(_ work: Int) throws -> Bool {
        try spread()
        let most = max(1, work / Work.action)
        // Ids that are no text are no UUIDs; they are cleared at the end, once.
        let actions = try Scalar.texts(
            database,
            sql: """
                SELECT id FROM gateway_goal_dirty NOT INDEXED WHERE kind = 'action' AND typeof(id) = 'text'
                ORDER BY rowid DESC LIMIT ?
                """, arguments: [most])
        try refresh(actions: actions)
        guard actions.count < most else { return false }
        var left = work - actions.count * Work.action
        while left > 0 {
            let goal = try Scalar.text(
                database,
                sql: """
                    SELECT id FROM gateway_goal_dirty NOT INDEXED WHERE kind = 'goal' AND typeof(id) = 'text'
                    ORDER BY rowid DESC LIMIT 1
                    """)
            guard let goal else { break }
            try clear("goal", goal)
            try follow(goal)
            try beginSweep(goal)
            left -= Work.action
        }
        while left > 0, let sweep = try Row.fetchOne(database, sql: "SELECT * FROM gateway_goal_sweeps LIMIT 1") {
            left -= max(1, try continueSweep(sweep, limit: left))
        }
        let isOdd = "typeof(id) <> 'text' OR kind NOT IN ('action', 'goal')"
        try database.execute(sql: "DELETE FROM gateway_goal_dirty WHERE \(isOdd)")
        guard try Self.isDue(database) else { return true }
        // A narrowed goal marked actions.
        return left >= Work.action ? try step(left) : false
    }

    private func clear(_ kind: String, _ id: String) throws {
        try database.cachedStatement(sql: "DELETE FROM gateway_goal_dirty WHERE kind = ? AND id = ?")
            .execute(arguments: [kind, id])
    }

    /// Replaces the mark for everything by marks for each row, the one that was logged last on top.
    private func spread() throws {
        let isDue =
            try Scalar.integer(database, sql: "SELECT 1 FROM gateway_goal_dirty WHERE kind = 'everything'") != nil
        guard isDue else { return }
        try database.execute(
            sql: """
                DELETE FROM gateway_goal_dirty;
                DELETE FROM gateway_goal_sweeps;
                INSERT INTO gateway_goal_dirty (kind, id) SELECT DISTINCT 'goal', goal_id FROM gateway_goal_matches
                WHERE goal_id NOT IN (SELECT uuid_id FROM goals WHERE uuid_id IS NOT NULL);
                INSERT INTO gateway_goal_dirty (kind, id) SELECT DISTINCT 'action', action_id FROM gateway_goal_matches
                WHERE action_id NOT IN (SELECT uuid_id FROM actions WHERE uuid_id IS NOT NULL);
                INSERT INTO gateway_goal_dirty (kind, id) SELECT 'action', uuid_id FROM actions ORDER BY log_time;
                """)
    }

    // MARK: Actions

    private func refresh(actions ids: [String]) throws {
        guard !ids.isEmpty else { return }
        let goals = try rules(where: "1", [])
        let list = databaseQuestionMarks(count: ids.count)
        func rows(_ sql: String, _ key: String) throws -> [String: [Row]] {
            let found = try Row.fetchAll(
                database, sql: "\(sql) IN (\(list))", arguments: StatementArguments(ids))
            return Dictionary(grouping: found) { $0.text(key) ?? "" }
        }
        let actions = try rows(
            """
            SELECT a.*, d.day, d.zone, d.day_start FROM actions a
            LEFT JOIN gateway_goal_days d ON d.action_id = a.uuid_id WHERE a.uuid_id
            """, "uuid_id")
        let matches = try rows("SELECT * FROM gateway_goal_matches WHERE action_id", "action_id")
        let decisions = try rows("SELECT * FROM gateway_goal_decisions WHERE action_id", "action_id")
        try meanings?.prepare(
            "action", actions.values.compactMap { $0.first.map(GoalRows.action) }.map { ($0.id, $0.meaning) },
            queues: true)
        var changed = Changes()
        for id in ids {
            var wanted: [Match] = []
            if let row = actions[id]?.first {
                var record = GoalRows.action(row)
                if LocalDay(parsing: record.day) == nil { try stamp(&record) }
                wanted = projection(
                    goals, record.facts.map { [$0] } ?? [], (decisions[id] ?? []).compactMap(Self.decision))
            }
            try replace(matches[id] ?? [], by: wanted, &changed)
            // After the stamp, whose trigger marks the action again.
            try clear("action", id)
        }
        try updateTotals(changed)
    }

    /// Fixes the day of an action that another program wrote.
    private func stamp(_ record: inout ActionRecord) throws {
        let (stamp, at) = GoalTime.stamp(start: record.startTime, logTime: record.logTime, rule: rule)
        try GoalActionStore.write(stamp, at: at, of: record.id, database)
        (record.day, record.zone, record.dayStart) = (stamp.day.description, stamp.zone, stamp.startMinute)
    }

    // MARK: Goals

    /// Begins to match the actions of a goal's days. What counts or was decided on other days is matched as changed actions.
    private func beginSweep(_ id: String) throws {
        if let goal = try rules(where: "uuid_id = ?", [id]).first {
            try markActions(outsideOf: goal, id)
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO gateway_goal_sweeps (goal_id, day, at, action_id) VALUES (?, '', 0, '')",
            arguments: [id])
    }

    private func markActions(outsideOf goal: GoalRule, _ id: String) throws {
        try database.execute(
            sql: """
                INSERT INTO gateway_goal_dirty (kind, id) SELECT 'action', action_id FROM (
                SELECT action_id FROM gateway_goal_matches WHERE goal_id = ?1 AND NOT day BETWEEN ?2 AND ?3
                UNION SELECT c.action_id FROM gateway_goal_decisions c
                JOIN gateway_goal_days d ON d.action_id = c.action_id
                WHERE c.goal_id = ?1 AND NOT d.day BETWEEN ?4 AND ?5) n
                WHERE NOT EXISTS (SELECT 1 FROM gateway_goal_dirty m WHERE m.kind = 'action' AND m.id = n.action_id)
                """,
            arguments: [
                id, goal.start.number, goal.end.number, goal.start.description, goal.end.description,
            ])
    }

    /// Matches the next actions of a goal's days.
    ///
    /// - Returns: The number of actions.
    private func continueSweep(_ sweep: Row, limit: Int) throws -> Int {
        let id = sweep.text("goal_id") ?? ""
        var changed = Changes()
        guard let goal = try rules(where: "uuid_id = ?", [id]).first else {
            // A goal that is gone, or makes no sense, matches nothing.
            let found = try Row.fetchAll(
                database, sql: "SELECT * FROM gateway_goal_matches WHERE goal_id = ? LIMIT ?", arguments: [id, limit])
            try replace(found, by: [], &changed)
            try updateTotals(changed)
            if found.count < limit { try end(id) }
            return found.count
        }
        let from = max(goal.start.description, sweep.text("day") ?? "")
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT a.*, d.day, d.zone, d.day_start, d.at FROM gateway_goal_days d
                CROSS JOIN actions a ON a.uuid_id = d.action_id
                WHERE d.day BETWEEN ? AND ? AND (d.day, d.at, d.action_id) > (?, ?, ?)
                ORDER BY d.day, d.at, d.action_id LIMIT ?
                """,
            arguments: [
                from, goal.end.description, sweep.text("day") ?? "", sweep.integer("at") ?? 0,
                sweep.text("action_id") ?? "", limit,
            ])
        let records = rows.map(GoalRows.action)
        try meanings?.prepare("action", records.map { ($0.id, $0.meaning) }, queues: true)
        let list = "(\(databaseQuestionMarks(count: records.count)))"
        let pairs = StatementArguments([id] + records.map(\.id))
        let found = try Row.fetchAll(
            database, sql: "SELECT * FROM gateway_goal_matches WHERE goal_id = ? AND action_id IN \(list)",
            arguments: pairs)
        let decisions = try Row.fetchAll(
            database, sql: "SELECT * FROM gateway_goal_decisions WHERE goal_id = ? AND action_id IN \(list)",
            arguments: pairs
        ).compactMap(Self.decision)
        try replace(found, by: projection([goal], records.compactMap(\.facts), decisions), &changed)
        try updateTotals(changed)
        if rows.count < limit {
            try end(id)
        } else if let last = rows.last {
            try database.execute(
                sql: "UPDATE gateway_goal_sweeps SET day = ?, at = ?, action_id = ? WHERE goal_id = ?",
                arguments: [last.text("day"), last.integer("at") ?? 0, last.text("uuid_id"), id])
        }
        return rows.count
    }

    private func end(_ sweep: String) throws {
        try database.execute(sql: "DELETE FROM gateway_goal_sweeps WHERE goal_id = ?", arguments: [sweep])
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
