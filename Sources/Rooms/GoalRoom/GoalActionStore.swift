package import Database
package import GatewayAPI
package import Goals
package import Schedules

/// Which actions a list has.
package struct ActionFilter: Sendable, Hashable {
    /// Title, description or notes contain this, folded.
    package var text: String?
    /// The first day.
    package var from: LocalDay?
    /// The last day.
    package var to: LocalDay?
    /// Only what counts for this goal.
    package var goal: String?

    /// Creates a filter that lets everything through.
    package init() {}
}

/// Actions: what a person did, each with its day.
package struct GoalActionStore: Sendable {
    let tables: GoalTables

    /// Goals that an action of a list names at most.
    static let maxListedContributions = 20

    /// Returns a page of actions, latest day first.
    ///
    /// - Parameter withContributions: Whether each has the goals that it counts for, ``maxListedContributions`` at most.
    package func list(
        _ filter: ActionFilter, after cursor: PageCursor?, limit: Int, withContributions: Bool = false
    ) async throws -> Page<ActionRecord> {
        try cursor?.check(numbers: 2, hasID: true)
        return try await tables.read { session in
            let cursorDay = cursor.map { LocalDay(number: Int(clamping: $0.numbers[0])) }
            let (first, last) = (filter.from ?? .earliest, min(filter.to ?? .latest, cursorDay ?? .latest))
            // The day of the cursor is a bound of its own, so that a page deep in the list begins there.
            var parameters = SQLParameters()
            var conditions = [
                "a.uuid_id = d.action_id",
                "d.day BETWEEN \(parameters.add(first.description)) AND \(parameters.add(last.description))",
            ]
            if let cursor, let cursorDay, let id = cursor.id {
                conditions.append(
                    """
                    (d.day, d.at, d.action_id) < (\(parameters.add(cursorDay.description)),
                    \(parameters.add(.integer(cursor.numbers[1]))), \(parameters.add(id)))
                    """)
            }
            // SQLite reads the tables of a cross join in their order.
            var source = "gateway_goal_days d"
            var order = "d.day DESC"
            if let wanted = filter.goal {
                let goal = try session.first(
                    "SELECT uuid_id FROM goals WHERE \(GoalID.matches("uuid_id"))", [.text(wanted)])?.text(0)
                source = "gateway_goal_matches m CROSS JOIN gateway_goal_days d"
                order = "m.day DESC"
                conditions.append(
                    """
                    d.action_id = m.action_id AND m.goal_id = \(parameters.add(.text(goal))) AND m.state = 'counts'
                    AND m.day BETWEEN \(parameters.add(.count(first.number))) AND \(parameters.add(.count(last.number)))
                    """)
            }
            if let text = filter.text {
                conditions.append(
                    try GoalSearch.condition(
                        ["a.uuid_id", "a.title", "a.description", "a.notes"], of: "actions a", contain: text,
                        &parameters, session))
            }
            let rows = try session.rows(
                .action,
                """
                FROM \(source) CROSS JOIN actions a WHERE \(conditions.joined(separator: " AND "))
                ORDER BY \(order), d.at DESC, d.action_id DESC LIMIT \(parameters.add(.count(limit + 1)))
                """, parameters.values)
            let found = rows.map { row -> (item: ActionRecord, cursor: PageCursor) in
                let day = LocalDay(parsing: row.text("day") ?? "") ?? .earliest
                return (
                    GoalRows.action(row),
                    PageCursor(Int64(day.number), row.integer("at") ?? 0, id: row.text("uuid_id") ?? "")
                )
            }
            var page = Page(found, limit: limit) {
                512 + ($0.title?.utf8.count ?? 0) + ($0.description?.utf8.count ?? 0) + ($0.notes?.utf8.count ?? 0)
            }
            let versions = try GoalTables.versions(of: page.items.map(\.id), session)
            for index in page.items.indices {
                let id = page.items[index].id
                page.items[index].version = versions[id] ?? 0
                guard withContributions else { continue }
                page.items[index].contributions = try Self.contributions(
                    ofAction: id, limit: Self.maxListedContributions, session)
            }
            return page
        }
    }

    /// Returns an action with the goals that it counts for.
    ///
    /// - Throws: ``StorageError/Code/notFound``.
    package func find(_ id: String) async throws -> ActionRecord {
        try await tables.read { try Self.action(id, $0, withContributions: true) }
    }

    static func action(_ id: String, _ session: any SQLSession, withContributions: Bool) throws -> ActionRecord {
        let row = try session.first(
            .action,
            """
            FROM actions a LEFT JOIN gateway_goal_days d ON d.action_id = a.uuid_id WHERE \(GoalID.matches("a.uuid_id"))
            """, [.text(id)])
        guard let row else { throw StorageError(.notFound, "there is no action \(id)") }
        var record = GoalRows.action(row)
        record.version = try GoalTables.versions(of: [record.id], session)[record.id] ?? 0
        if withContributions { record.contributions = try contributions(ofAction: record.id, session) }
        return record
    }

    static func contributions(
        ofAction id: String, limit: Int = 200, _ session: any SQLSession
    ) throws -> [GoalContribution] {
        try session.rows(
            GoalColumns.match.and(["title", "measurement_unit"], of: "g"),
            """
            FROM gateway_goal_matches m JOIN goals g ON g.uuid_id = m.goal_id
            WHERE m.action_id = $1 AND m.state = 'counts' ORDER BY m.goal_id LIMIT $2
            """, [.text(id), .count(limit)]
        ).map { row in
            GoalContribution(
                action: id, goal: row.text("goal_id") ?? "", title: row.text("title"), amount: row.real("amount") ?? 0,
                unit: row.text("measurement_unit"), method: row.text("method") ?? "",
                confidence: row.real("confidence") ?? 0,
                matchedOn: (row.text("matched_on") ?? "").split(separator: " ").map(String.init))
        }
    }

    /// Stores a new action.
    ///
    /// - Returns: The action, and whether it is new: the same id with the same contents is the stored one.
    /// - Throws: ``StorageError/Code/conflict`` if the id has other contents.
    package func add(
        _ record: ActionRecord, at: Instant, _ context: GoalContext
    ) async throws -> (action: ActionRecord, isNew: Bool) {
        let isNew = try await tables.write(context) { try Self.add(record, at: at, $0) }
        return (try await find(record.id), isNew)
    }

    static func add(_ record: ActionRecord, at: Instant, _ session: any SQLSession) throws -> Bool {
        if let known = try? action(record.id, session, withContributions: false) {
            var (a, b) = (known, record)
            (a.version, b.version, a.logTime, b.logTime, b.id, b.contributions) = (0, 0, "", "", a.id, nil)
            b.amounts.sort { $0.unit < $1.unit }
            guard a == b else {
                throw StorageError(.conflict, "the id \(record.id) belongs to another action")
            }
            return false
        }
        try GoalTables.insert("actions", columns(record), session)
        try write(
            DayStamp(
                day: LocalDay(parsing: record.day) ?? .earliest, zone: record.zone, startMinute: record.dayStart),
            at: at, of: record.id, session)
        return true
    }

    /// Changes an action. `transform` gets the stored one within the transaction.
    package func change(
        _ id: String, _ context: GoalContext,
        _ transform: @escaping @Sendable (ActionRecord) throws -> (record: ActionRecord, at: Instant?)
    ) async throws -> ActionRecord {
        try await tables.write(context) { session in
            let old = try Self.action(id, session, withContributions: false)
            let (new, at) = try transform(old)
            try GoalTables.update(
                "actions", "uuid_id", old.id, from: Self.columns(old), to: Self.columns(new), session)
            if (old.day, old.zone, old.dayStart) != (new.day, new.zone, new.dayStart) || at != nil {
                let stamp = DayStamp(
                    day: LocalDay(parsing: new.day) ?? .earliest, zone: new.zone, startMinute: new.dayStart)
                let known = try session.first(
                    "SELECT at FROM gateway_goal_days WHERE action_id = $1", [.text(old.id)])?.integer(0)
                try Self.write(stamp, at: at ?? Instant(milliseconds: known ?? 0), of: old.id, session)
            }
        }
        return try await find(id)
    }

    private static func columns(_ record: ActionRecord) -> [(String, SQLValue)] {
        [
            ("uuid_id", .text(record.id)), ("title", .text(record.title)),
            ("description", .text(record.description)), ("notes", .text(record.notes)),
            ("log_time", .text(record.logTime)),
            ("measurement_units_by_amount", .text(GoalRows.text(record.amounts))),
            ("start_time", .text(record.startTime)), ("duration_minutes", .real(record.durationMinutes)),
        ]
    }

    /// Fixes the day of an action.
    static func write(_ stamp: DayStamp, at: Instant, of action: String, _ session: any SQLSession) throws {
        try session.run(
            """
            INSERT INTO gateway_goal_days (action_id, day, at, zone, day_start) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (action_id) DO UPDATE SET day = $2, at = $3, zone = $4, day_start = $5
            """,
            [
                .text(action), .text(stamp.day.description), .integer(at.milliseconds), .text(stamp.zone),
                .count(stamp.startMinute),
            ])
    }
}
