package import Database
package import GatewayAPI

/// Which changes a list has.
package struct GoalHistoryFilter: Sendable, Hashable {
    /// `goals`, `actions`, `values`, `terms` or `measures`.
    package var resource: String?
    /// Only this row and what belongs to it.
    package var id: String?
    /// Only this turn.
    package var turn: String?

    /// Creates a filter that lets everything through.
    package init() {}
}

package enum GoalMoment: Sendable, Hashable {
    /// Right after a change.
    case change(Int64)
    /// A time in milliseconds since 1970.
    case time(Int64)
}

/// Every change of the tables of goals, by any program; rows as they were.
package struct GoalHistoryStore: Sendable {
    let tables: GoalTables

    /// Returns a page of changes, latest first.
    package func list(
        _ filter: GoalHistoryFilter, after cursor: PageCursor?, limit: Int
    ) async throws -> Page<GoalChange> {
        try cursor?.check(numbers: 1)
        return try await tables.read { session in
            var parameters = SQLParameters()
            let end = parameters.add(.integer(cursor?.numbers[0] ?? .max))
            let most = parameters.add(.count(limit + 1))
            var conditions = ["seq < \(end)"]
            if let resource = filter.resource {
                let tables = GoalTable.all.filter { $0.resource == resource }.map(\.name)
                if filter.id == nil, filter.turn == nil {
                    // The latest entries of each table by its index, instead of a search through those of all tables.
                    let latest = tables.map { table in
                        """
                        SELECT seq FROM (SELECT seq FROM gateway_goal_history WHERE tbl = \(parameters.add(table))
                        AND seq < \(end) ORDER BY seq DESC LIMIT \(most)) AS \(table)_entries
                        """
                    }
                    conditions.append("seq IN (\(latest.joined(separator: " UNION ALL ")))")
                } else {
                    conditions.append("tbl IN \(session.dialect.texts(parameters.add(.texts(tables))))")
                }
            }
            if let id = filter.id { conditions.append(GoalID.matches("entity", parameters.add(id))) }
            if let turn = filter.turn { conditions.append("turn = \(parameters.add(turn))") }
            let entries = try GoalEntry.all(
                "WHERE \(conditions.joined(separator: " AND ")) ORDER BY seq DESC LIMIT \(most)", parameters.values,
                session)
            let found = try entries.map { entry in
                let before = entry.operation == "insert" ? try entry.before(session) : nil
                return (entry.change(before: before), PageCursor(entry.number))
            }
            return Page(found, limit: limit) { $0.fields.count * 400 + 512 }
        }
    }

    // MARK: As of a moment

    /// Returns an action as it was.
    ///
    /// - Throws: ``StorageError/Code/notFound`` if there was none, or history had not begun.
    package func action(_ id: String, at moment: GoalMoment) async throws -> ActionRecord {
        try await tables.read { session in
            let past = try PastRows(id, moment, session)
            guard let action = past.one("actions") else { throw Self.absent("action", id) }
            let day = past.one("gateway_goal_days")
            var record = GoalRows.action(action)
            record.day = day?.text("day") ?? ""
            record.zone = day?.text("zone") ?? ""
            record.dayStart = day?.count("day_start") ?? 0
            record.version = past.number
            return record
        }
    }

    /// Returns a goal as it was.
    ///
    /// - Throws: ``StorageError/Code/notFound`` if there was none, or history had not begun.
    package func goal(_ id: String, at moment: GoalMoment) async throws -> StoredGoal {
        try await tables.read { session in
            let past = try PastRows(id, moment, session)
            guard let row = past.one("goals") else { throw Self.absent("goal", id) }
            var goal = StoredGoal(GoalRows.goal(row))
            func sorted(_ table: String, _ key: String) -> [GoalRow] {
                past.all(table).sorted { ($0.text(key) ?? "") < ($1.text(key) ?? "") }
            }
            goal.add(
                details: past.one("gateway_goal_details"), targets: sorted("gateway_goal_targets", "from_day"),
                schedules: sorted("gateway_goal_schedules", "from_day"))
            goal.record.skips = sorted("gateway_goal_skips", "day").reversed().compactMap { $0.text("day") }
            goal.record.reminder = GoalRows.reminder(past.one("gateway_goal_reminders"))
            goal.record.values = sorted("gateway_goal_relevances", "value_id").map { row in
                GoalValueLink(
                    value: row.text("value_id") ?? "", alignment: row.count("alignment"), notes: row.text("notes"))
            }
            goal.record.version = past.number
            return goal
        }
    }

    /// Returns a value as it was.
    package func value(_ id: String, at moment: GoalMoment) async throws -> ValueRecord {
        try await tables.read { session in
            let past = try PastRows(id, moment, session)
            guard let row = past.one("personal_values") else { throw Self.absent("value", id) }
            var record = GoalRows.value(row)
            record.version = past.number
            return record
        }
    }

    /// Returns a term as it was.
    package func term(_ id: String, at moment: GoalMoment) async throws -> TermRecord {
        try await tables.read { session in
            let past = try PastRows(id, moment, session)
            guard let row = past.one("terms") else { throw Self.absent("term", id) }
            var record = GoalRows.term(row)
            record.status = past.one("gateway_goal_terms")?.text("status") ?? ""
            record.goals = past.all("term_goal_assignments").sorted {
                ($0.integer("assignment_order") ?? .max, $0.text("goal_uuid") ?? "")
                    < ($1.integer("assignment_order") ?? .max, $1.text("goal_uuid") ?? "")
            }.compactMap { $0.text("goal_uuid") }
            record.version = past.number
            return record
        }
    }

    /// Returns a measure as it was.
    package func measure(_ id: String, at moment: GoalMoment) async throws -> MeasureRecord {
        try await tables.read { session in
            let past = try PastRows(id, moment, session)
            guard let row = past.one("gateway_goal_measures") else { throw Self.absent("measure", id) }
            var record = GoalRows.measure(row)
            record.version = past.number
            return record
        }
    }

    private static func absent(_ kind: String, _ id: String) -> StorageError {
        StorageError(.notFound, "there was no \(kind) \(id) then, as far as the history goes back")
    }
}

/// The rows of one entity at a moment.
private struct PastRows {
    private var rows: [String: [GoalRow]] = [:]
    /// The number of the latest change up to the moment.
    private(set) var number: Int64 = 0

    init(_ id: String, _ moment: GoalMoment, _ session: any SQLSession) throws {
        let (condition, value) =
            switch moment {
            case .change(let number): ("seq <= $2", number)
            case .time(let time): ("at <= $2", time)
            }
        let found = try GoalEntry.all(
            """
            WHERE seq IN (SELECT max(seq) FROM gateway_goal_history
            WHERE \(GoalID.matches("entity")) AND \(condition) GROUP BY tbl, entity, part)
            """, [.text(id), .integer(value)], session)
        for entry in found {
            number = max(number, entry.number)
            guard let new = entry.new else { continue }
            rows[entry.table, default: []].append(GoalRow(new))
        }
    }

    func all(_ table: String) -> [GoalRow] { rows[table] ?? [] }

    func one(_ table: String) -> GoalRow? { rows[table]?.first }
}
