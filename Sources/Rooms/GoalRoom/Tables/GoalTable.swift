import Database

/// A table of goals whose changes are recorded.
package struct GoalTable: Sendable, Hashable {
    /// The kind of a column's numbers.
    enum Number: Sendable {
        case integer
        case real
    }

    /// The name in the database.
    package let name: String
    /// The word in the names of its triggers.
    package let word: String
    /// The one or two columns of its key.
    package let keys: [String]
    /// What has to be matched again after a change: `action` or `goal`, by the id in a column; nil for nothing.
    package let dirty: (kind: String, column: String)?
    /// The resource of the API that it belongs to.
    package let resource: String
    /// The columns with numbers; the others hold texts. In a file another program may have written any kind into any column.
    let numbers: [String: Number]

    /// All of them. Rows are exported, imported and restored in this order.
    package static let all = [
        GoalTable("personal_values", "value", ["uuid_id"], of: "values", ["priority": .integer]),
        GoalTable("gateway_goal_measures", "measure", ["id"], of: "measures", ["conversion_factor": .real]),
        GoalTable(
            "goals", "goal", ["uuid_id"], of: "goals", ["measurement_target": .real, "expected_term_length": .integer],
            marks: ("goal", "uuid_id")),
        GoalTable(
            "gateway_goal_details", "detail", ["goal_id"], of: "goals", ["importance": .integer, "urgency": .integer]),
        GoalTable("gateway_goal_targets", "target", ["goal_id", "from_day"], of: "goals", ["amount": .real]),
        GoalTable("gateway_goal_schedules", "schedule", ["goal_id", "from_day"], of: "goals"),
        GoalTable("gateway_goal_skips", "skip", ["goal_id", "day"], of: "goals"),
        GoalTable("gateway_goal_reminders", "reminder", ["goal_id"], of: "goals"),
        GoalTable(
            "gateway_goal_relevances", "relevance", ["goal_id", "value_id"], of: "goals", ["alignment": .integer]),
        GoalTable("terms", "term", ["uuid_id"], of: "terms", ["term_number": .integer]),
        GoalTable("gateway_goal_terms", "status", ["term_id"], of: "terms"),
        GoalTable(
            "term_goal_assignments", "assignment", ["term_uuid", "goal_uuid"], of: "terms",
            ["assignment_order": .integer]),
        GoalTable(
            "actions", "action", ["uuid_id"], of: "actions", ["duration_minutes": .real], marks: ("action", "uuid_id")),
        GoalTable(
            "gateway_goal_days", "day", ["action_id"], of: "actions", ["at": .integer, "day_start": .integer],
            marks: ("action", "action_id")),
        GoalTable(
            "gateway_goal_decisions", "decision", ["action_id", "goal_id"], of: "actions",
            ["amount": .real, "decided_at": .integer], marks: ("action", "action_id")),
    ]

    private init(
        _ name: String, _ word: String, _ keys: [String], of resource: String, _ numbers: [String: Number] = [:],
        marks dirty: (kind: String, column: String)? = nil
    ) {
        (self.name, self.word, self.keys) = (name, word, keys)
        (self.dirty, self.resource, self.numbers) = (dirty, resource, numbers)
    }

    package static func named(_ name: String) -> GoalTable? { all.first { $0.name == name } }

    package static func == (a: GoalTable, b: GoalTable) -> Bool { a.name == b.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// PostgreSQL's history holds each value as a text.
extension GoalTable {
    /// A value of the history as the column has it.
    func cell(_ recorded: SQLCell, of column: String, _ dialect: SQLDialect) -> SQLCell {
        guard dialect == .postgres else { return recorded }
        switch numbers[column] {
        case .integer: return recorded.asInteger.map { .integer($0) } ?? .null
        // Infinity is a number of a column, too.
        case .real: return recorded.asText.flatMap { Double($0) }.map { .real($0) } ?? .null
        case nil: return recorded
        }
    }

    /// SQL for a value of the history as the column has it.
    func restored(_ value: String, of column: String, _ dialect: SQLDialect) -> String {
        guard dialect == .postgres, let number = numbers[column] else { return value }
        return "CAST(\(value) AS \(number == .integer ? dialect.integer : dialect.real))"
    }

    /// A value as the parameter of a column; nil for one that the column does not take.
    func parameter(_ cell: SQLCell, of column: String, _ dialect: SQLDialect) -> SQLValue? {
        guard dialect == .postgres else { return cell.value }
        switch (numbers[column], cell) {
        case (.integer, .null): return .integer(nil)
        case (.integer, _): return cell.asInteger.map { .integer($0) }
        case (.real, .null): return .real(nil)
        case (.real, .real(let number)): return .real(number)
        case (.real, _): return cell.asReal.map { .real($0) }
        case (nil, .bytes): return nil
        case (nil, _): return .text(cell.asText)
        }
    }
}
