import GRDB
package import GatewayAPI
package import Goals

/// Which goals a list has.
package struct GoalFilter: Sendable, Hashable {
    /// Title, description or notes contain this, folded.
    package var text: String?
    /// `goal`, `smart`, `milestone` or `obligation`.
    package var kind: String?
    /// Goals that run on this day.
    package var on: LocalDay?
    /// Goals that are committed to this term.
    package var term: String?
    /// Goals that serve this value.
    package var value: String?
    /// Goals with a reminder of their own.
    package var reminds = false

    /// Creates a filter that lets everything through.
    package init() {}
}

/// A goal with what its progress needs.
package struct StoredGoal: Sendable, Hashable {
    /// The goal; its target and schedule are the latest ones.
    package var record: GoalRecord
    /// The schedule before the first change.
    package var firstSchedule: GoalScheduleBody
    /// The amount before the first change.
    package var firstAmount: Double?

    /// Creates a goal that has never changed.
    package init(_ record: GoalRecord) {
        self.record = record
        firstSchedule = record.schedule
        firstAmount = record.target?.amount
    }
}

/// Goals, with their targets, schedules, skips and values.
package struct GoalRecordStore: Sendable {
    let tables: GoalTables

    /// Returns a page of goals by target date; goals without one come last.
    package func list(
        _ filter: GoalFilter, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<StoredGoal> {
        try cursor?.check(numbers: 1, hasID: true)
        return try await tables.read { database in
            let order = "coalesce(substr(g.target_date, 1, 10), '9999-99-99')"
            var conditions = [GoalID.isUUID("g.uuid_id")]
            var arguments = StatementArguments()
            if let id = cursor?.id {
                conditions.append("\(order) || ' ' || g.uuid_id > ?")
                arguments += [id]
            }
            if let kind = filter.kind {
                conditions.append(
                    kind == "goal" ? "g.goal_type NOT IN ('SmartGoal', 'Milestone', 'Obligation')" : "g.goal_type = ?")
                if kind != "goal" { arguments += [GoalRows.type(ofKind: kind)] }
            }
            if let on = filter.on {
                conditions.append(
                    "coalesce(substr(g.start_date, 1, 10), '') <= ? AND coalesce(substr(g.target_date, 1, 10), '9999') >= ?"
                )
                arguments += [on.description, on.description]
            }
            if let term = filter.term {
                conditions.append(
                    "g.uuid_id IN (SELECT goal_uuid FROM term_goal_assignments WHERE term_uuid IN (?, upper(?), lower(?)))"
                )
                arguments += [term, term, term]
            }
            if let value = filter.value {
                conditions.append(
                    "g.uuid_id IN (SELECT goal_id FROM gateway_goal_relevances WHERE value_id IN (?, upper(?), lower(?)))"
                )
                arguments += [value, value, value]
            }
            if filter.reminds {
                conditions.append("g.uuid_id IN (SELECT goal_id FROM gateway_goal_reminders)")
            }
            if let text = filter.text {
                let found = FoldedContains.condition(["g.title", "g.description", "g.notes"], contain: text)
                conditions.append(found.sql)
                arguments += found.arguments
            }
            arguments += [limit + 1]
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT g.*, \(order) || ' ' || g.uuid_id AS sort FROM goals g
                    WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) || ' ' || g.uuid_id LIMIT ?
                    """, arguments: arguments)
            let found = try Self.complete(rows.map { GoalRows.goal($0) }, database)
            let pairs = zip(found, rows).map { ($0, PageCursor(0, id: $1.text("sort") ?? "")) }
            return Page(pairs, limit: limit) {
                2048 + ($0.record.description?.utf8.count ?? 0) + ($0.record.notes?.utf8.count ?? 0)
            }
        }
    }

    /// Returns a goal.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> StoredGoal { try await tables.read { try Self.goal(id, $0) } }

    static func goal(_ id: String, _ database: Database) throws -> StoredGoal {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM goals WHERE \(GoalID.matches("uuid_id"))", arguments: [id])
        guard let row, let goal = try complete([GoalRows.goal(row)], database).first else {
            throw StorageError(.notFound, "there is no goal \(id)")
        }
        return goal
    }

    /// Adds what lies in other tables.
    private static func complete(_ records: [GoalRecord], _ database: Database) throws -> [StoredGoal] {
        let ids = records.map(\.id)
        guard !ids.isEmpty else { return [] }
        let list = databaseQuestionMarks(count: ids.count)
        func rows(_ table: String, _ key: String, _ order: String) throws -> [String: [Row]] {
            let found = try Row.fetchAll(
                database, sql: "SELECT * FROM \(table) WHERE \(key) IN (\(list)) ORDER BY \(order)",
                arguments: StatementArguments(ids))
            return Dictionary(grouping: found) { $0.text(key) ?? "" }
        }
        let details = try rows("gateway_goal_details", "goal_id", "goal_id")
        let targets = try rows("gateway_goal_targets", "goal_id", "from_day")
        let schedules = try rows("gateway_goal_schedules", "goal_id", "from_day")
        let skips = try rows("gateway_goal_skips", "goal_id", "day DESC")
        let reminders = try rows("gateway_goal_reminders", "goal_id", "goal_id")
        let values = try rows("gateway_goal_relevances", "goal_id", "value_id")
        let terms = try rows("term_goal_assignments", "goal_uuid", "term_uuid")
        let versions = try GoalTables.versions(of: ids, database)
        return records.map { record in
            var goal = StoredGoal(record)
            goal.add(
                details: details[record.id]?.first, targets: targets[record.id] ?? [],
                schedules: schedules[record.id] ?? [])
            goal.record.skips = (skips[record.id] ?? []).compactMap { $0.text("day") }
            goal.record.reminder = GoalRows.reminder(reminders[record.id]?.first)
            goal.record.values = (values[record.id] ?? []).map { row in
                GoalValueLink(
                    value: row.text("value_id") ?? "", alignment: row.count("alignment"), notes: row.text("notes"))
            }
            goal.record.terms = (terms[record.id] ?? []).compactMap { $0.text("term_uuid") }
            goal.record.version = versions[record.id] ?? 0
            return goal
        }
    }

    /// Returns what counts for a goal up to a day: an exact sum for each day, or each action's amount where a day's sum needs
    /// more than 128 bits.
    package func entries(of id: String, until day: LocalDay) async throws -> [ProgressQuestion.Entry] {
        try await tables.read { database in
            let totals = try Row.fetchCursor(
                database,
                sql: """
                    SELECT day, count, numerator, denominator FROM gateway_goal_totals WHERE goal_id = ? AND day <= ?
                    ORDER BY day
                    """, arguments: [id, day.number])
            var entries: [ProgressQuestion.Entry] = []
            while let row = try totals.next() {
                let day = LocalDay(number: row.count(0))
                if let sum = GoalMatching.total(row.text(2), row.text(3)) {
                    entries.append(ProgressQuestion.Entry(day: day, amount: sum, count: row.count(1)))
                } else {
                    entries += try Self.entries(of: id, on: day, database)
                }
            }
            return entries
        }
    }

    /// The amount of each action that counts for a goal on a day.
    private static func entries(
        of id: String, on day: LocalDay, _ database: Database
    ) throws -> [ProgressQuestion.Entry] {
        try Row.fetchAll(
            database,
            sql: "SELECT amount FROM gateway_goal_matches WHERE goal_id = ? AND state = 'counts' AND day = ?",
            arguments: [id, day.number]
        ).compactMap { row in
            row.real(0).flatMap { Rational($0) }.map { ProgressQuestion.Entry(day: day, amount: $0) }
        }
    }

    /// Stores a new goal.
    ///
    /// - Returns: The goal, and whether it is new: the same id with the same contents is the stored one.
    /// - Throws: ``StorageError/Code/conflict`` if the id has other contents.
    package func add(_ record: GoalRecord, _ context: GoalContext) async throws -> (goal: StoredGoal, isNew: Bool) {
        let isNew = try await tables.write(context) { try Self.add(record, $0) }
        return (try await find(record.id), isNew)
    }

    static func add(_ record: GoalRecord, _ database: Database) throws -> Bool {
        if let known = try? goal(record.id, database) {
            var (a, b) = (known.record, record)
            (a.version, a.logTime, a.terms, b.id) = (0, "", [], a.id)
            (b.version, b.logTime, b.terms) = (0, "", [])
            b.values.sort { $0.value < $1.value }
            guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another goal") }
            return false
        }
        try GoalTables.insert("goals", columns(record), database)
        try forget(record.id, database)
        try writeDetails(of: record, schedule: record.schedule, database)
        try writeValues(of: record, database)
        if record.reminder != nil { try writeReminder(of: record, database) }
        return true
    }

    /// Deletes what an earlier goal with this id left.
    private static func forget(_ id: String, _ database: Database) throws {
        for table in ["targets", "schedules", "skips", "reminders", "relevances"] {
            try database.execute(sql: "DELETE FROM gateway_goal_\(table) WHERE goal_id = ?", arguments: [id])
        }
    }

    /// Changes a goal. `transform` gets the stored one within the transaction. A changed target or schedule counts from `day`.
    package func change(
        _ id: String, from day: LocalDay, _ context: GoalContext,
        _ transform: @escaping @Sendable (StoredGoal) throws -> GoalRecord
    ) async throws -> StoredGoal {
        try await tables.write(context) { database in
            let old = try Self.goal(id, database)
            let new = try transform(old)
            if let amount = new.target?.amount, let before = old.record.target?.amount, amount != before {
                if old.record.changes.isEmpty { try Self.write(target: before, from: "", of: old.record.id, database) }
                try Self.write(target: amount, from: day.description, of: old.record.id, database)
            }
            try GoalTables.update(
                "goals", "uuid_id", old.record.id, from: Self.columns(old.record), to: Self.columns(new), database)
            if new.schedule != old.record.schedule {
                try database.execute(
                    sql: """
                        INSERT INTO gateway_goal_schedules (goal_id, from_day, schedule) VALUES (?1, ?2, ?3)
                        ON CONFLICT (goal_id, from_day) DO UPDATE SET schedule = ?3
                        """, arguments: [old.record.id, day.description, new.schedule.stored])
            }
            let isSame =
                (old.record.importance, old.record.urgency, old.record.requestedBy, old.record.consequence)
                == (new.importance, new.urgency, new.requestedBy, new.consequence) && old.record.rule == new.rule
            if !isSame { try Self.writeDetails(of: new, schedule: old.firstSchedule, database) }
            if new.reminder != old.record.reminder { try Self.writeReminder(of: new, database) }
            if new.values != old.record.values { try Self.writeValues(of: new, database) }
        }
        return try await find(id)
    }

    /// Skips a day of a goal, or takes the skip back.
    package func skip(_ day: LocalDay, of id: String, isSkipped: Bool, _ context: GoalContext) async throws
        -> StoredGoal
    {
        try await tables.write(context) { database in
            let goal = try Self.goal(id, database).record
            guard goal.skips.contains(day.description) != isSkipped else { return }
            try database.execute(
                sql: isSkipped
                    ? "INSERT INTO gateway_goal_skips (goal_id, day) VALUES (?, ?)"
                    : "DELETE FROM gateway_goal_skips WHERE goal_id = ? AND day = ?",
                arguments: [goal.id, day.description])
        }
        return try await find(id)
    }

    static func write(target amount: Double, from day: String, of id: String, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO gateway_goal_targets (goal_id, from_day, amount) VALUES (?1, ?2, ?3)
                ON CONFLICT (goal_id, from_day) DO UPDATE SET amount = ?3
                """, arguments: [id, day, amount])
    }

    private static func writeDetails(
        of record: GoalRecord, schedule: GoalScheduleBody, _ database: Database
    ) throws {
        try database.execute(
            sql: """
                INSERT INTO gateway_goal_details
                (goal_id, importance, urgency, requested_by, consequence, rule, schedule) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (goal_id) DO UPDATE SET importance = ?2, urgency = ?3, requested_by = ?4, consequence = ?5,
                rule = ?6, schedule = ?7
                """,
            arguments: [
                record.id, record.importance, record.urgency, record.requestedBy, record.consequence,
                record.rule.stored, schedule.stored,
            ])
    }

    private static func writeReminder(of record: GoalRecord, _ database: Database) throws {
        guard let reminder = record.reminder else {
            return try database.execute(
                sql: "DELETE FROM gateway_goal_reminders WHERE goal_id = ?", arguments: [record.id])
        }
        let days = reminder.weekdays.map { GoalRows.text(.array($0.map { .integer(Int64($0)) })) }
        try database.execute(
            sql: """
                INSERT INTO gateway_goal_reminders (goal_id, at, weekdays) VALUES (?1, ?2, ?3)
                ON CONFLICT (goal_id) DO UPDATE SET at = ?2, weekdays = ?3
                """, arguments: [record.id, reminder.at, days])
    }

    private static func writeValues(of record: GoalRecord, _ database: Database) throws {
        let old = try Row.fetchAll(
            database, sql: "SELECT * FROM gateway_goal_relevances WHERE goal_id = ?", arguments: [record.id])
        for row in old where !record.values.contains(where: { $0.value == row.text("value_id") }) {
            try database.execute(
                sql: "DELETE FROM gateway_goal_relevances WHERE goal_id = ? AND value_id = ?",
                arguments: [record.id, row.text("value_id")])
        }
        for link in record.values {
            let isSame = old.contains { row in
                row.text("value_id") == link.value && row.count("alignment") == link.alignment
                    && row.text("notes") == link.notes
            }
            guard !isSame else { continue }
            try database.execute(
                sql: """
                    INSERT INTO gateway_goal_relevances (goal_id, value_id, alignment, notes) VALUES (?1, ?2, ?3, ?4)
                    ON CONFLICT (goal_id, value_id) DO UPDATE SET alignment = ?3, notes = ?4
                    """, arguments: [record.id, link.value, link.alignment, link.notes])
        }
    }

    private static func columns(_ record: GoalRecord) -> [(String, DatabaseValue)] {
        [
            ("uuid_id", record.id.databaseValue), ("title", record.title.databaseValue),
            ("description", record.description.stored), ("notes", record.notes.stored),
            ("log_time", record.logTime.databaseValue),
            ("goal_type", GoalRows.type(ofKind: record.kind).databaseValue),
            ("measurement_target", record.target.map(\.amount).stored),
            ("measurement_unit", record.target.map(\.unit).stored), ("start_date", record.startDate.stored),
            ("target_date", record.targetDate.stored), ("how_goal_is_relevant", record.relevance.stored),
            ("how_goal_is_actionable", GoalRows.text(units: record.units, keywords: record.keywords).stored),
            ("expected_term_length", record.expectedTermLength.stored),
        ]
    }
}

extension StoredGoal {
    /// Adds the columns of tables of ours.
    mutating func add(details: Row?, targets: [Row], schedules: [Row]) {
        if let details {
            record.importance = min(max(details.count("importance"), 1), 10)
            record.urgency = min(max(details.count("urgency"), 1), 10)
            record.requestedBy = details.text("requested_by")
            record.consequence = details.text("consequence")
            record.rule = GoalRows.json(details.text("rule"), as: GoalRuleBody.self) ?? record.rule
            record.schedule =
                GoalRows.json(details.text("schedule"), as: GoalScheduleBody.self) ?? record.schedule
        }
        firstSchedule = record.schedule
        for row in targets {
            guard let amount = row.real("amount") else { continue }
            if let day = GoalTime.day(row.text("from_day")) {
                record.changes.append(GoalTargetChange(from: day.description, amount: amount))
            } else {
                firstAmount = amount
            }
        }
        for row in schedules {
            guard let day = GoalTime.day(row.text("from_day")),
                let schedule = GoalRows.json(row.text("schedule"), as: GoalScheduleBody.self)
            else { continue }
            record.schedules.append(GoalScheduleChange(from: day.description, schedule: schedule))
            record.schedule = schedule
        }
    }
}
