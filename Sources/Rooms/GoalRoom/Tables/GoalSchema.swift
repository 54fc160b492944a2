package import Database

/// The tables of goals in this file, with their columns.
package struct GoalSchema: Sendable {
    /// Columns of a table that are recorded; further ones of another program are not.
    package static let maxColumns = 20

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
    package let columns: [String: [String]]
    /// Whether the file has the tables of the migration.
    package let hasHistory: Bool
    /// What is wrong with a table of the original app; nil if nothing is.
    package let fault: String?

    package init(_ session: any SQLSession) throws {
        hasHistory = try Self.isTable("gateway_goal_history", session)
        guard hasHistory else {
            (columns, fault) = ([:], nil)
            return
        }
        var columns: [String: [String]] = [:]
        var fault: String?
        for table in GoalTable.all {
            guard try Self.isTable(table.name, session) else {
                fault = fault ?? "the table \(table.name) is missing"
                continue
            }
            let names = try Self.names(of: table.name, session)
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
    package func require() throws(StorageError) {
        guard let fault else { return }
        throw StorageError(
            .conflict, "goals cannot be kept in this file: \(fault). Import that file into another database instead")
    }

    /// SQLite's count of the changes of the schema.
    static func version(_ session: any SQLSession) throws -> Int64 {
        guard session.dialect == .sqlite else { return 0 }
        return try session.first("PRAGMA schema_version")?.integer(0) ?? 0
    }

    /// The columns of a table, in its order.
    static func names(of table: String, _ session: any SQLSession) throws -> [String] {
        try session.texts(session.dialect.columns, [.text(table)])
    }

    /// Whether there is a table of this name that can have triggers: neither a view nor a virtual one.
    private static func isTable(_ name: String, _ session: any SQLSession) throws -> Bool {
        guard session.dialect == .sqlite else { return try !names(of: name, session).isEmpty }
        let found = try session.first(
            "SELECT type, sql FROM sqlite_master WHERE name = $1 COLLATE NOCASE AND type IN ('table', 'view')",
            [.text(name)])
        return found?.text(0) == "table" && found?.text(1)?.uppercased().hasPrefix("CREATE VIRTUAL") == false
    }
}
