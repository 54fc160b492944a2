import Cryptography
import Database
import Foundation
import GRDB
import GatewayAPI
package import GoalRoom
import Goals

/// Reads a database of Ten Week Goal into rows for our tables: the generation in Python, and the later one in Swift.
package struct OriginalDatabase {
    private let database: OutsideDatabase

    init(_ database: OutsideDatabase) { self.database = database }

    /// Reads the rows of a file, of either generation.
    ///
    /// - Returns: The rows, and `sqlite-python` or `sqlite-swift`.
    /// - Throws: ``StorageError/Code/invalid`` for a file without its tables, or beyond the bounds of ``OutsideDatabase``.
    package static func rows(at path: String) async throws -> (rows: [GoalImportRow], format: String) {
        try await CopyWork.run { _ in
            try OutsideDatabase.read(path, maxRows: GoalTransferStore.maxRows) { try OriginalDatabase($0).rows() }
        }
    }

    /// All rows, and the word for the format.
    func rows() throws -> (rows: [GoalImportRow], format: String) {
        let actions = Set(try database.columns(of: "actions").map { $0.lowercased() })
        if actions.contains("log_time") { return (try python(), "sqlite-python") }
        if actions.contains("logtime") { return (try swift(), "sqlite-swift") }
        throw StorageError(.invalid, "the database has no table \"actions\" of Ten Week Goal")
    }

    // MARK: The generation in Python

    private func python() throws -> [GoalImportRow] {
        var rows: [GoalImportRow] = []
        for name in ["personal_values", "goals", "terms", "term_goal_assignments", "actions"] {
            guard let table = GoalTable.named(name) else { continue }
            for row in try all(name) {
                var columns: [(name: String, value: SQLCell)] = []
                for column in row.columnNames where column != "id" { columns.append((column, row.cell(column))) }
                // Before it had UUIDs, the app numbered its rows.
                if table.keys == ["uuid_id"], EntityID(row.text("uuid_id") ?? "") == nil {
                    columns.removeAll { $0.name == "uuid_id" }
                    columns.append(("uuid_id", .text(Self.uuid(name, row.text("id") ?? ""))))
                }
                columns.removeAll { !Self.known(name).contains($0.name) }
                rows.append(GoalImportRow(table: table, columns: columns))
            }
        }
        // What a person decided counts; what the app inferred is inferred again.
        for row in try all("action_goal_progress") {
            guard let method = row.text("match_method"), ["manual", "user_confirmed"].contains(method) else { continue }
            rows += decision(
                row.text("action_id"), row.text("goal_id"),
                amount: method == "manual" ? row.real("contribution") : nil)
        }
        return rows
    }

    /// The columns of the tables that a new file has.
    private static func known(_ table: String) -> Set<String> {
        switch table {
        case "personal_values":
            [
                "uuid_id", "title", "description", "notes", "log_time", "incentive_type", "priority", "life_domain",
                "alignment_guidance",
            ]
        case "goals":
            [
                "uuid_id", "title", "description", "notes", "log_time", "goal_type", "measurement_target",
                "measurement_unit", "start_date", "target_date", "how_goal_is_relevant", "how_goal_is_actionable",
                "expected_term_length",
            ]
        case "terms":
            [
                "uuid_id", "title", "description", "notes", "term_number", "start_date", "target_date", "theme",
                "reflection", "created_at", "updated_at",
            ]
        case "term_goal_assignments": ["term_uuid", "goal_uuid", "assignment_order", "created_at"]
        default:
            [
                "uuid_id", "title", "description", "notes", "log_time", "measurement_units_by_amount", "start_time",
                "duration_minutes",
            ]
        }
    }

    /// A UUID that follows from a table and a number: the same file gives the same ones.
    private static func uuid(_ table: String, _ number: String) -> String {
        var bytes = Array(SHA256.hash(data: Data("ten-week-goal \(table) \(number)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }

    private func decision(_ action: String?, _ goal: String?, amount: Double?) -> [GoalImportRow] {
        guard let action, let goal, let table = GoalTable.named("gateway_goal_decisions") else { return [] }
        return [
            GoalImportRow(
                table: table,
                columns: [
                    ("action_id", .text(action)), ("goal_id", .text(goal)),
                    ("answer", .text(amount == nil ? "confirmed" : "counted")),
                    ("amount", amount.map { .real($0) } ?? .null),
                    ("decided_at", .integer(0)),
                ])
        ]
    }

    // MARK: The generation in Swift

    private func swift() throws -> [GoalImportRow] {
        let measures = try byID("measures")
        var rows: [GoalImportRow] = []
        func add(_ table: String, _ columns: [(name: String, value: SQLCell)]) {
            if let table = GoalTable.named(table) { rows.append(GoalImportRow(table: table, columns: columns)) }
        }
        for row in try all("personalValues") {
            add(
                "personal_values",
                heading(row) + [
                    ("incentive_type", row.cell("valueLevel")), ("priority", row.cell("priority")),
                    ("life_domain", row.cell("lifeDomain")), ("alignment_guidance", row.cell("alignmentGuidance")),
                ])
        }
        for row in measures.values.sorted(by: { ($0.text("id") ?? "") < ($1.text("id") ?? "") }) {
            if let columns = measure(row) { add("gateway_goal_measures", columns) }
        }
        let expectations = try byID("expectations")
        let targets = try Dictionary(grouping: all("expectationMeasures")) { $0.text("expectationId") ?? "" }
        for (name, type) in [("goals", "Goal"), ("milestones", "Milestone"), ("obligations", "Obligation")] {
            for row in try all(name) {
                guard let expectation = expectations[row.text("expectationId") ?? ""], let id = row.text("id") else {
                    continue
                }
                // A goal has one target here; further measures become units of its actions.
                let own = targets[row.text("expectationId") ?? ""] ?? []
                let units = own.compactMap { measures[$0.text("measureId") ?? ""]?.text("unit") }
                var columns = heading(expectation).filter { $0.name != "uuid_id" }
                columns += [
                    ("uuid_id", .text(id)), ("goal_type", .text(type)),
                    ("start_date", name == "goals" ? row.cell("startDate") : .null),
                    ("target_date", row.cell(name == "obligations" ? "deadline" : "targetDate")),
                    ("measurement_target", own.first?.cell("targetValue") ?? .null),
                    ("measurement_unit", Self.text(units.first)),
                    ("how_goal_is_actionable", Self.text(GoalRows.text(units: Array(units.dropFirst()), keywords: []))),
                    ("expected_term_length", row.cell("expectedTermLength")),
                ]
                if let plan = row.text("actionPlan"), !plan.isEmpty,
                    columns.first(where: { $0.name == "notes" })?.value == .null
                {
                    columns.removeAll { $0.name == "notes" }
                    columns.append(("notes", .text(plan)))
                }
                add("goals", columns)
                add(
                    "gateway_goal_details",
                    [
                        ("goal_id", .text(id)),
                        ("importance", .integer(expectation.integer("expectationImportance") ?? 5)),
                        ("urgency", .integer(expectation.integer("expectationUrgency") ?? 5)),
                        ("requested_by", row.cell("requestedBy")), ("consequence", row.cell("consequence")),
                    ])
            }
        }
        for row in try all("goalRelevances") {
            add(
                "gateway_goal_relevances",
                [
                    ("goal_id", row.cell("goalId")), ("value_id", row.cell("valueId")),
                    ("alignment", .integer(row.integer("alignmentStrength") ?? 5)),
                    ("notes", row.cell("relevanceNotes")),
                ])
        }
        try addTerms(add)
        let amounts = try Dictionary(grouping: all("measuredActions")) { $0.text("actionId") ?? "" }
        for row in try all("actions") {
            var totals: [String: Double] = [:]
            for amount in amounts[row.text("id") ?? ""] ?? [] {
                guard let unit = measures[amount.text("measureId") ?? ""]?.text("unit"),
                    let value = amount.real("value")
                else { continue }
                totals[unit, default: 0] += value
            }
            let text = GoalRows.text(totals.map { GoalAmount(amount: $0.value, unit: $0.key) })
            add(
                "actions",
                heading(row) + [
                    ("measurement_units_by_amount", Self.text(text)), ("start_time", row.cell("startTime")),
                    ("duration_minutes", row.cell("durationMinutes")),
                ])
        }
        for row in try all("actionGoalContributions") {
            rows += decision(row.text("actionId"), row.text("goalId"), amount: row.real("contributionAmount"))
        }
        return rows
    }

    private func addTerms(_ add: (String, [(name: String, value: SQLCell)]) -> Void) throws {
        let periods = try byID("timePeriods")
        for row in try all("goalTerms") {
            guard let period = periods[row.text("timePeriodId") ?? ""], let id = row.text("id") else { continue }
            var columns = heading(period).filter { !["uuid_id", "log_time", "title"].contains($0.name) }
            columns += [
                ("uuid_id", .text(id)), ("title", .text(period.text("title") ?? "")),
                ("term_number", row.cell("termNumber")), ("start_date", period.cell("startDate")),
                ("target_date", period.cell("endDate")), ("theme", row.cell("theme")),
                ("reflection", row.cell("reflection")),
            ]
            add("terms", columns)
            if let status = row.text("status") {
                add("gateway_goal_terms", [("term_id", .text(id)), ("status", .text(status))])
            }
        }
        for row in try all("termGoalAssignments") {
            add(
                "term_goal_assignments",
                [
                    ("term_uuid", row.cell("termId")), ("goal_uuid", row.cell("goalId")),
                    ("assignment_order", row.cell("assignmentOrder")), ("created_at", row.cell("createdAt")),
                ])
        }
    }

    private func heading(_ row: Row) -> [(name: String, value: SQLCell)] {
        [
            ("uuid_id", row.cell("id")), ("title", row.cell("title")), ("description", row.cell("detailedDescription")),
            ("notes", row.cell("freeformNotes")), ("log_time", row.cell("logTime")),
        ]
    }

    /// A measure with the exact factor of its unit; nil for a unit that cannot be read.
    private func measure(_ row: Row) -> [(name: String, value: SQLCell)]? {
        guard let text = row.text("unit"), let unit = Goals.Unit(parsing: text, custom: true),
            let factor = unit.factor.divided(by: unit.canonical.factor)
        else { return nil }
        return heading(row).filter { $0.name != "uuid_id" } + [
            ("id", row.cell("id")), ("unit", .text(text)),
            ("kind", .text(row.text("measureType") ?? "other")),
            ("canonical_unit", .text(unit.canonical.description)),
            ("conversion_factor", .real(factor.doubleValue)),
        ]
    }

    private static func text(_ text: String?) -> SQLCell { text.map { .text($0) } ?? .null }

    // MARK: Reading

    private func all(_ table: String) throws -> [Row] { try database.rows(of: table) }

    private func byID(_ table: String) throws -> [String: Row] {
        Dictionary(try all(table).map { ($0.text("id") ?? "", $0) }) { first, _ in first }
    }
}
