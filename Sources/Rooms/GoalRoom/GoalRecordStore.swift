package import Database
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
        return try await tables.read { session in
            let order = "coalesce(substr(g.target_date, 1, 10), '9999-99-99') || ' ' || g.uuid_id"
            var conditions = [GoalID.isUUID("g.uuid_id", session.dialect)]
            var parameters = SQLParameters()
            if let id = cursor?.id { conditions.append("\(order) > \(parameters.add(id))") }
            if let kind = filter.kind {
                conditions.append(
                    kind == "goal"
                        ? "g.goal_type NOT IN ('SmartGoal', 'Milestone', 'Obligation')"
                        : "g.goal_type = \(parameters.add(GoalRows.type(ofKind: kind)))")
            }
            if let on = filter.on {
                let day = parameters.add(on.description)
                conditions.append("coalesce(substr(g.start_date, 1, 10), '') <= \(day)")
                conditions.append("coalesce(substr(g.target_date, 1, 10), '9999') >= \(day)")
            }
            if let term = filter.term {
                let isTerm = GoalID.matches("term_uuid", parameters.add(term))
                conditions.append("g.uuid_id IN (SELECT goal_uuid FROM term_goal_assignments WHERE \(isTerm))")
            }
            if let value = filter.value {
                let isValue = GoalID.matches("value_id", parameters.add(value))
                conditions.append("g.uuid_id IN (SELECT goal_id FROM gateway_goal_relevances WHERE \(isValue))")
            }
            if filter.reminds {
                conditions.append("g.uuid_id IN (SELECT goal_id FROM gateway_goal_reminders)")
            }
            if let text = filter.text {
                conditions.append(
                    try GoalSearch.condition(
                        ["g.uuid_id", "g.title", "g.description", "g.notes"], of: "goals g", contain: text, &parameters,
                        session))
            }
            let rows = try session.rows(
                GoalColumns.goal.and("sort", as: order),
                """
                FROM goals g WHERE \(conditions.joined(separator: " AND "))
                ORDER BY \(order) LIMIT \(parameters.add(.count(limit + 1)))
                """, parameters.values)
            let found = try Self.complete(rows.map { GoalRows.goal($0) }, session)
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

    static func goal(_ id: String, _ session: any SQLSession) throws -> StoredGoal {
        let row = try session.first(.goal, "FROM goals g WHERE \(GoalID.matches("g.uuid_id"))", [.text(id)])
        guard let row, let goal = try complete([GoalRows.goal(row)], session).first else {
            throw StorageError(.notFound, "there is no goal \(id)")
        }
        return goal
    }

    /// Adds what lies in other tables.
    private static func complete(_ records: [GoalRecord], _ session: any SQLSession) throws -> [StoredGoal] {
        let ids = records.map(\.id)
        guard !ids.isEmpty else { return [] }
        func rows(_ table: String, _ columns: GoalColumns, _ order: String) throws -> [String: [GoalRow]] {
            let key = columns.names[0]
            let isOfOne = "\(key) IN \(session.dialect.texts("$1"))"
            let found = try session.rows(
                columns, "FROM \(table) WHERE \(isOfOne) ORDER BY \(order)", [.texts(ids)])
            return Dictionary(grouping: found) { $0.text(key) ?? "" }
        }
        let details = try rows("gateway_goal_details", .details, "goal_id")
        let targets = try rows("gateway_goal_targets", GoalColumns(["goal_id", "from_day", "amount"]), "from_day")
        let schedules = try rows(
            "gateway_goal_schedules", GoalColumns(["goal_id", "from_day", "schedule"]), "from_day")
        let skips = try rows("gateway_goal_skips", GoalColumns(["goal_id", "day"]), "day DESC")
        let reminders = try rows("gateway_goal_reminders", GoalColumns(["goal_id", "at", "weekdays"]), "goal_id")
        let values = try rows("gateway_goal_relevances", .relevance, "value_id")
        let terms = try rows("term_goal_assignments", GoalColumns(["goal_uuid", "term_uuid"]), "term_uuid")
        let versions = try GoalTables.versions(of: ids, session)
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
        try await tables.read { session in
            let totals = try session.rows(
                """
                SELECT day, count, numerator, denominator FROM gateway_goal_totals WHERE goal_id = $1 AND day <= $2
                ORDER BY day
                """, [.text(id), .count(day.number)])
            return try totals.flatMap { row in
                let day = LocalDay(number: row.count(0))
                guard let sum = GoalMatching.total(row.text(2), row.text(3)) else {
                    return try Self.entries(of: id, on: day, session)
                }
                return [ProgressQuestion.Entry(day: day, amount: sum, count: row.count(1))]
            }
        }
    }

    /// The amount of each action that counts for a goal on a day.
    private static func entries(
        of id: String, on day: LocalDay, _ session: any SQLSession
    ) throws -> [ProgressQuestion.Entry] {
        try session.rows(
            "SELECT amount FROM gateway_goal_matches WHERE goal_id = $1 AND state = 'counts' AND day = $2",
            [.text(id), .count(day.number)]
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

    static func add(_ record: GoalRecord, _ session: any SQLSession) throws -> Bool {
        if let known = try? goal(record.id, session) {
            var (a, b) = (known.record, record)
            (a.version, a.logTime, a.terms, b.id) = (0, "", [], a.id)
            (b.version, b.logTime, b.terms) = (0, "", [])
            b.values.sort { $0.value < $1.value }
            guard a == b else { throw StorageError(.conflict, "the id \(record.id) belongs to another goal") }
            return false
        }
        try GoalTables.insert("goals", columns(record), session)
        try forget(record.id, session)
        try writeDetails(of: record, schedule: record.schedule, session)
        try writeValues(of: record, session)
        if record.reminder != nil { try writeReminder(of: record, session) }
        return true
    }

    /// Deletes what an earlier goal with this id left.
    private static func forget(_ id: String, _ session: any SQLSession) throws {
        for table in ["targets", "schedules", "skips", "reminders", "relevances"] {
            try session.run("DELETE FROM gateway_goal_\(table) WHERE goal_id = $1", [.text(id)])
        }
    }

    /// Changes a goal. `transform` gets the stored one within the transaction. A changed target or schedule counts from `day`.
    package func change(
        _ id: String, from day: LocalDay, _ context: GoalContext,
        _ transform: @escaping @Sendable (StoredGoal) throws -> GoalRecord
    ) async throws -> StoredGoal {
        try await tables.write(context) { session in
            let old = try Self.goal(id, session)
            let new = try transform(old)
            if let amount = new.target?.amount, let before = old.record.target?.amount, amount != before {
                if old.record.changes.isEmpty { try Self.write(target: before, from: "", of: old.record.id, session) }
                try Self.write(target: amount, from: day.description, of: old.record.id, session)
            }
            try GoalTables.update(
                "goals", "uuid_id", old.record.id, from: Self.columns(old.record), to: Self.columns(new), session)
            if new.schedule != old.record.schedule {
                try session.run(
                    """
                    INSERT INTO gateway_goal_schedules (goal_id, from_day, schedule) VALUES ($1, $2, $3)
                    ON CONFLICT (goal_id, from_day) DO UPDATE SET schedule = $3
                    """, [.text(old.record.id), .text(day.description), .text(new.schedule.stored)])
            }
            let isSame =
                (old.record.importance, old.record.urgency, old.record.requestedBy, old.record.consequence)
                == (new.importance, new.urgency, new.requestedBy, new.consequence) && old.record.rule == new.rule
            if !isSame { try Self.writeDetails(of: new, schedule: old.firstSchedule, session) }
            if new.reminder != old.record.reminder { try Self.writeReminder(of: new, session) }
            if new.values != old.record.values { try Self.writeValues(of: new, session) }
        }
        return try await find(id)
    }

    /// Skips a day of a goal, or takes the skip back.
    package func skip(_ day: LocalDay, of id: String, isSkipped: Bool, _ context: GoalContext) async throws
        -> StoredGoal
    {
        try await tables.write(context) { session in
            let goal = try Self.goal(id, session).record
            guard goal.skips.contains(day.description) != isSkipped else { return }
            try session.run(
                isSkipped
                    ? "INSERT INTO gateway_goal_skips (goal_id, day) VALUES ($1, $2)"
                    : "DELETE FROM gateway_goal_skips WHERE goal_id = $1 AND day = $2",
                [.text(goal.id), .text(day.description)])
        }
        return try await find(id)
    }

    static func write(target amount: Double, from day: String, of id: String, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_goal_targets (goal_id, from_day, amount) VALUES ($1, $2, $3)
            ON CONFLICT (goal_id, from_day) DO UPDATE SET amount = $3
            """, [.text(id), .text(day), .real(amount)])
    }

    private static func writeDetails(
        of record: GoalRecord, schedule: GoalScheduleBody, _ session: any SQLSession
    ) throws {
        try session.run(
            """
            INSERT INTO gateway_goal_details
            (goal_id, importance, urgency, requested_by, consequence, rule, schedule) VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (goal_id) DO UPDATE SET importance = $2, urgency = $3, requested_by = $4, consequence = $5,
            rule = $6, schedule = $7
            """,
            [
                .text(record.id), .count(record.importance), .count(record.urgency), .text(record.requestedBy),
                .text(record.consequence), .text(record.rule.stored), .text(schedule.stored),
            ])
    }

    private static func writeReminder(of record: GoalRecord, _ session: any SQLSession) throws {
        guard let reminder = record.reminder else {
            try session.run("DELETE FROM gateway_goal_reminders WHERE goal_id = $1", [.text(record.id)])
            return
        }
        let days = reminder.weekdays.map { GoalRows.text(.array($0.map { .integer(Int64($0)) })) }
        try session.run(
            """
            INSERT INTO gateway_goal_reminders (goal_id, at, weekdays) VALUES ($1, $2, $3)
            ON CONFLICT (goal_id) DO UPDATE SET at = $2, weekdays = $3
            """, [.text(record.id), .text(reminder.at), .text(days)])
    }

    private static func writeValues(of record: GoalRecord, _ session: any SQLSession) throws {
        let old = try session.rows(
            .relevance, "FROM gateway_goal_relevances WHERE goal_id = $1", [.text(record.id)])
        for row in old where !record.values.contains(where: { $0.value == row.text("value_id") }) {
            try session.run(
                "DELETE FROM gateway_goal_relevances WHERE goal_id = $1 AND value_id = $2",
                [.text(record.id), row.cell("value_id").value])
        }
        for link in record.values {
            let isSame = old.contains { row in
                row.text("value_id") == link.value && row.count("alignment") == link.alignment
                    && row.text("notes") == link.notes
            }
            guard !isSame else { continue }
            try session.run(
                """
                INSERT INTO gateway_goal_relevances (goal_id, value_id, alignment, notes) VALUES ($1, $2, $3, $4)
                ON CONFLICT (goal_id, value_id) DO UPDATE SET alignment = $3, notes = $4
                """, [.text(record.id), .text(link.value), .count(link.alignment), .text(link.notes)])
        }
    }

    private static func columns(_ record: GoalRecord) -> [(String, SQLValue)] {
        [
            ("uuid_id", .text(record.id)), ("title", .text(record.title)),
            ("description", .text(record.description)), ("notes", .text(record.notes)),
            ("log_time", .text(record.logTime)),
            ("goal_type", .text(GoalRows.type(ofKind: record.kind))),
            ("measurement_target", .real(record.target?.amount)),
            ("measurement_unit", .text(record.target?.unit)), ("start_date", .text(record.startDate)),
            ("target_date", .text(record.targetDate)), ("how_goal_is_relevant", .text(record.relevance)),
            ("how_goal_is_actionable", .text(GoalRows.text(units: record.units, keywords: record.keywords))),
            ("expected_term_length", .count(record.expectedTermLength)),
        ]
    }
}

extension StoredGoal {
    /// Adds the columns of tables of ours.
    mutating func add(details: GoalRow?, targets: [GoalRow], schedules: [GoalRow]) {
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
