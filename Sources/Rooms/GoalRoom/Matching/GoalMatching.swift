import Database
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

    let session: any SQLSession
    let rule: DayRule
    /// Nil where no meanings are compared.
    let meanings: GoalMeanings?

    init(_ session: any SQLSession, rule: DayRule) throws {
        self.session = session
        self.rule = rule
        meanings = try GoalMeanings(session)
    }

    /// Whether anything is left to match.
    static func isDue(_ session: any SQLSession) throws -> Bool {
        try session.first(
            """
            SELECT 1 WHERE EXISTS (SELECT 1 FROM gateway_goal_dirty) OR EXISTS (SELECT 1 FROM gateway_goal_sweeps)
            """) != nil
    }

    /// Marks everything to be matched again.
    static func markEverything(_ session: any SQLSession) throws {
        try session.run("DELETE FROM gateway_goal_dirty WHERE kind = 'everything'")
        try session.run("INSERT INTO gateway_goal_dirty (kind) VALUES ('everything')")
    }

    private static func isEverything(_ session: any SQLSession) throws -> Bool {
        try session.first("SELECT 1 FROM gateway_goal_dirty WHERE kind = 'everything'") != nil
    }

    /// The number of actions and goals that are left, up to ``maxCounted``.
    static func waiting(_ session: any SQLSession) throws -> Int {
        let table = try isEverything(session) ? "actions" : "gateway_goal_dirty"
        return try session.first(
            """
            SELECT (SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT $1) AS marks)
            + (SELECT count(*) FROM gateway_goal_sweeps)
            """, [.count(maxCounted)])?.count(0) ?? 0
    }

    /// Matches changed rows, those that changed last first.
    ///
    /// - Returns: Whether nothing is left.
    func step(_ work: Int) throws -> Bool {
        try spread()
        let most = max(1, work / Work.action)
        // Ids that are no text are no UUIDs; they are cleared at the end, once.
        let actions = try marked("action", most)
        try refresh(actions: actions)
        guard actions.count < most else { return false }
        var left = work - actions.count * Work.action
        while left > 0 {
            let goal = try marked("goal", 1).first
            guard let goal else { break }
            try clear("goal", goal)
            try follow(goal)
            try beginSweep(goal)
            left -= Work.action
        }
        while left > 0, let sweep = try session.first(Self.sweep, "FROM gateway_goal_sweeps LIMIT 1") {
            left -= max(1, try continueSweep(sweep, limit: left))
        }
        let isText = GoalID.isText("id", session.dialect)
        try session.run("DELETE FROM gateway_goal_dirty WHERE NOT (\(isText)) OR kind NOT IN ('action', 'goal')")
        guard try Self.isDue(session) else { return true }
        // A narrowed goal marked actions.
        return left >= Work.action ? try step(left) : false
    }

    private static let sweep = GoalColumns(["goal_id", "day", "at", "action_id"])

    /// The rows of a kind that changed last.
    private func marked(_ kind: String, _ limit: Int) throws -> [String] {
        let order = session.dialect == .sqlite ? "rowid" : "seq"
        // An index of the kind would sort all of its marks.
        let table = "gateway_goal_dirty\(session.dialect == .sqlite ? " NOT INDEXED" : "")"
        return try session.texts(
            """
            SELECT id FROM \(table) WHERE kind = $1 AND \(GoalID.isText("id", session.dialect))
            ORDER BY \(order) DESC LIMIT $2
            """, [.text(kind), .count(limit)])
    }

    private func clear(_ kind: String, _ id: String) throws {
        try session.run("DELETE FROM gateway_goal_dirty WHERE kind = $1 AND id = $2", [.text(kind), .text(id)])
    }

    /// Replaces the mark for everything by marks for each row, the one that was logged last on top.
    private func spread() throws {
        guard try Self.isEverything(session) else { return }
        try session.run("DELETE FROM gateway_goal_dirty")
        try session.run("DELETE FROM gateway_goal_sweeps")
        for (kind, table) in [("goal", "goals"), ("action", "actions")] {
            try session.run(
                """
                INSERT INTO gateway_goal_dirty (kind, id) SELECT DISTINCT '\(kind)', \(kind)_id FROM gateway_goal_matches
                WHERE \(kind)_id NOT IN (SELECT uuid_id FROM \(table) WHERE uuid_id IS NOT NULL)
                """)
        }
        try session.run(
            "INSERT INTO gateway_goal_dirty (kind, id) SELECT 'action', uuid_id FROM actions ORDER BY log_time")
    }

    // MARK: Actions

    private func refresh(actions ids: [String]) throws {
        guard !ids.isEmpty else { return }
        let goals = try rules(of: nil)
        func rows(_ columns: GoalColumns, _ rest: String, _ key: String) throws -> [String: [GoalRow]] {
            let found = try session.rows(columns, "\(rest) IN \(session.dialect.texts("$1"))", [.texts(ids)])
            return Dictionary(grouping: found) { $0.text(key) ?? "" }
        }
        let actions = try rows(
            .action, "FROM actions a LEFT JOIN gateway_goal_days d ON d.action_id = a.uuid_id WHERE a.uuid_id",
            "uuid_id")
        let matches = try rows(.match, "FROM gateway_goal_matches m WHERE m.action_id", "action_id")
        let decisions = try rows(.decision, "FROM gateway_goal_decisions WHERE action_id", "action_id")
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
        let (stamp, at) = GoalTime.stamp(
            start: record.startTime, logTime: record.logTime, rule: rule, now: try now())
        try GoalActionStore.write(stamp, at: at, of: record.id, session)
        (record.day, record.zone, record.dayStart) = (stamp.day.description, stamp.zone, stamp.startMinute)
    }

    private func now() throws -> Instant { Instant(milliseconds: try session.clock().now) }

    // MARK: Goals

    /// Begins to match the actions of a goal's days. What counts or was decided on other days is matched as changed actions.
    private func beginSweep(_ id: String) throws {
        if let goal = try rules(of: id).first {
            try markActions(outsideOf: goal, id)
        }
        try session.run(
            """
            INSERT INTO gateway_goal_sweeps (goal_id, day, at, action_id) VALUES ($1, '', 0, '')
            ON CONFLICT (goal_id) DO UPDATE SET day = '', at = 0, action_id = ''
            """, [.text(id)])
    }

    private func markActions(outsideOf goal: GoalRule, _ id: String) throws {
        try session.run(
            """
            INSERT INTO gateway_goal_dirty (kind, id) SELECT 'action', action_id FROM (
            SELECT action_id FROM gateway_goal_matches WHERE goal_id = $1 AND NOT day BETWEEN $2 AND $3
            UNION SELECT c.action_id FROM gateway_goal_decisions c
            JOIN gateway_goal_days d ON d.action_id = c.action_id
            WHERE c.goal_id = $1 AND NOT d.day BETWEEN $4 AND $5) n
            WHERE NOT EXISTS (SELECT 1 FROM gateway_goal_dirty m WHERE m.kind = 'action' AND m.id = n.action_id)
            """,
            [
                .text(id), .count(goal.start.number), .count(goal.end.number), .text(goal.start.description),
                .text(goal.end.description),
            ])
    }

    /// Matches the next actions of a goal's days.
    ///
    /// - Returns: The number of actions.
    private func continueSweep(_ sweep: GoalRow, limit: Int) throws -> Int {
        let id = sweep.text("goal_id") ?? ""
        var changed = Changes()
        guard let goal = try rules(of: id).first else {
            // A goal that is gone, or makes no sense, matches nothing.
            let found = try session.rows(
                .match, "FROM gateway_goal_matches m WHERE m.goal_id = $1 LIMIT $2", [.text(id), .count(limit)])
            try replace(found, by: [], &changed)
            try updateTotals(changed)
            if found.count < limit { try end(id) }
            return found.count
        }
        let from = max(goal.start.description, sweep.text("day") ?? "")
        // SQLite reads the tables of a cross join in their order.
        let rows = try session.rows(
            .action,
            """
            FROM gateway_goal_days d CROSS JOIN actions a
            WHERE a.uuid_id = d.action_id AND d.day BETWEEN $1 AND $2 AND (d.day, d.at, d.action_id) > ($3, $4, $5)
            ORDER BY d.day, d.at, d.action_id LIMIT $6
            """,
            [
                .text(from), .text(goal.end.description), .text(sweep.text("day") ?? ""),
                .integer(sweep.integer("at") ?? 0), .text(sweep.text("action_id") ?? ""), .count(limit),
            ])
        let records = rows.map(GoalRows.action)
        try meanings?.prepare("action", records.map { ($0.id, $0.meaning) }, queues: true)
        let isPair = "goal_id = $1 AND action_id IN \(session.dialect.texts("$2"))"
        let pairs: [SQLValue] = [.text(id), .texts(records.map(\.id))]
        let found = try session.rows(.match, "FROM gateway_goal_matches m WHERE \(isPair)", pairs)
        let decisions = try session.rows(.decision, "FROM gateway_goal_decisions WHERE \(isPair)", pairs)
            .compactMap(Self.decision)
        try replace(found, by: projection([goal], records.compactMap(\.facts), decisions), &changed)
        try updateTotals(changed)
        if rows.count < limit {
            try end(id)
        } else if let last = rows.last {
            try session.run(
                "UPDATE gateway_goal_sweeps SET day = $1, at = $2, action_id = $3 WHERE goal_id = $4",
                [
                    .text(last.text("day")), .integer(last.integer("at") ?? 0), .text(last.text("uuid_id")), .text(id),
                ])
        }
        return rows.count
    }

    private func end(_ sweep: String) throws {
        try session.run("DELETE FROM gateway_goal_sweeps WHERE goal_id = $1", [.text(sweep)])
    }

    /// Dates a target that another program changed: the days before today keep theirs.
    private func follow(_ id: String) throws {
        let amount = try session.first("SELECT measurement_target FROM goals WHERE uuid_id = $1", [.text(id)])?.real(0)
        guard let amount, amount > 0 else { return }
        let today = rule.day(of: try now()).description
        let latest = try session.first(
            "SELECT amount FROM gateway_goal_targets WHERE goal_id = $1 ORDER BY from_day DESC LIMIT 1", [.text(id)])?
            .real(0)
        if let latest {
            if latest != amount { try GoalRecordStore.write(target: amount, from: today, of: id, session) }
            return
        }
        let entry = try GoalEntry.all(
            "WHERE tbl = 'goals' AND entity = $1 AND op IN ('insert', 'found') ORDER BY seq DESC LIMIT 1", [.text(id)],
            session
        ).first
        guard let before = entry?.new?["measurement_target"]?.asReal, before > 0, before != amount else { return }
        try GoalRecordStore.write(target: before, from: "", of: id, session)
        try GoalRecordStore.write(target: amount, from: today, of: id, session)
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
