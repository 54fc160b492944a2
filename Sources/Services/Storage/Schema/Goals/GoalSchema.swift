import GRDB

/// A table of goals whose changes are recorded.
struct GoalTable: Sendable, Hashable {
    /// The name in the file.
    let name: String
    /// The word in the names of its triggers.
    let word: String
    /// The one or two columns of its key.
    let keys: [String]
    /// What has to be matched again after a change: `action` or `goal`, by the id in a column; nil for nothing.
    let dirty: (kind: String, column: String)?
    /// The resource of the API that it belongs to.
    let resource: String

    /// All of them. Rows are exported, imported and restored in this order.
    static let all = [
        GoalTable("personal_values", "value", ["uuid_id"], nil, of: "values"),
        GoalTable("gateway_goal_measures", "measure", ["id"], nil, of: "measures"),
        GoalTable("goals", "goal", ["uuid_id"], ("goal", "uuid_id"), of: "goals"),
        GoalTable("gateway_goal_details", "detail", ["goal_id"], nil, of: "goals"),
        GoalTable("gateway_goal_targets", "target", ["goal_id", "from_day"], nil, of: "goals"),
        GoalTable("gateway_goal_schedules", "schedule", ["goal_id", "from_day"], nil, of: "goals"),
        GoalTable("gateway_goal_skips", "skip", ["goal_id", "day"], nil, of: "goals"),
        GoalTable("gateway_goal_reminders", "reminder", ["goal_id"], nil, of: "goals"),
        GoalTable("gateway_goal_relevances", "relevance", ["goal_id", "value_id"], nil, of: "goals"),
        GoalTable("terms", "term", ["uuid_id"], nil, of: "terms"),
        GoalTable("gateway_goal_terms", "status", ["term_id"], nil, of: "terms"),
        GoalTable("term_goal_assignments", "assignment", ["term_uuid", "goal_uuid"], nil, of: "terms"),
        GoalTable("actions", "action", ["uuid_id"], ("action", "uuid_id"), of: "actions"),
        GoalTable("gateway_goal_days", "day", ["action_id"], ("action", "action_id"), of: "actions"),
        GoalTable(
            "gateway_goal_decisions", "decision", ["action_id", "goal_id"], ("action", "action_id"), of: "actions"),
    ]

    private init(
        _ name: String, _ word: String, _ keys: [String], _ dirty: (kind: String, column: String)?,
        of resource: String
    ) {
        self.name = name
        self.word = word
        self.keys = keys
        self.dirty = dirty
        self.resource = resource
    }

    static func named(_ name: String) -> GoalTable? { all.first { $0.name == name } }

    static func == (a: GoalTable, b: GoalTable) -> Bool { a.name == b.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The tables of goals in this file, with their columns.
struct GoalSchema: Sendable {
    /// Columns of a table that are recorded; further ones of another program are not.
    static let maxColumns = 20

    /// The columns that the store reads and writes, of the tables that the original app may have made.
    private static let required = [
        "actions": [
            "uuid_id", "title", "description", "notes", "log_time", "measurement_units_by_amount", "start_time",
            "duration_minutes",
        ],
        "goals": [
            "uuid_id", "title", "description", "notes", "log_time", "goal_type", "measurement_target",
            "measurement_unit", "start_date", "target_date", "how_goal_is_relevant", "how_goal_is_actionable",
            "expected_term_length",
        ],
        "personal_values": [
            "uuid_id", "title", "description", "notes", "log_time", "incentive_type", "priority", "life_domain",
            "alignment_guidance",
        ],
        "terms": [
            "uuid_id", "title", "description", "notes", "term_number", "start_date", "target_date", "theme",
            "reflection",
        ],
        "term_goal_assignments": ["term_uuid", "goal_uuid", "assignment_order"],
    ]

    /// The columns in the order of the file, by table; tables that are missing, or no tables, are absent.
    let columns: [String: [String]]
    /// Whether the file has the tables of the migration.
    let hasHistory: Bool
    /// What is wrong with a table of the original app; nil if nothing is.
    let fault: String?

    init(_ database: Database) throws {
        hasHistory = try TableColumns(database, "gateway_goal_history").takesTriggers
        guard hasHistory else {
            (columns, fault) = ([:], nil)
            return
        }
        var columns: [String: [String]] = [:]
        var fault: String?
        for table in GoalTable.all {
            guard try TableColumns(database, table.name).takesTriggers else {
                fault = fault ?? "the table \(table.name) is missing"
                continue
            }
            let names = try Scalar.texts(
                database, sql: "SELECT name FROM pragma_table_info(?) ORDER BY cid", arguments: [table.name])
            let wanted = Self.required[table.name] ?? table.keys
            if let missing = wanted.first(where: { !names.contains($0) }) {
                fault = fault ?? "the table \(table.name) has no column \(missing)"
            } else {
                columns[table.name] = Array(names.prefix(Self.maxColumns))
            }
        }
        self.columns = columns
        self.fault = fault
    }

    /// Refuses a file whose tables have other columns, such as those of a later version of the original app.
    func require() throws(StorageError) {
        guard let fault else { return }
        throw StorageError(
            .conflict, "goals cannot be kept in this file: \(fault). Import that file into another database instead")
    }
}
