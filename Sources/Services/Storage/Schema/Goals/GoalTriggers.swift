import GRDB
import GoalRoom

/// The triggers that record each change of the tables of goals, by any program.
///
/// They name the recorded columns, so another program cannot drop one of these with `ALTER TABLE … DROP COLUMN`. They add
/// to tables of ours without constraints, so no value makes the other program's write fail.
enum GoalTriggers {
    /// The names of all of them.
    static let names: Set<String> = Set(
        GoalTable.all.flatMap { table in ["in", "up", "out"].map { "gateway_goal_\(table.word)_\($0)" } })

    /// The triggers for the tables that the file has.
    static func all(_ schema: GoalSchema) -> [TriggerDefinition] {
        guard schema.hasHistory else { return [] }
        return GoalTable.all.flatMap { table -> [TriggerDefinition] in
            guard let columns = schema.columns[table.name] else { return [] }
            let name = "gateway_goal_\(table.word)"
            let isSame = table.keys.map { "NEW.\($0) IS OLD.\($0)" }.joined(separator: " AND ")
            let moved = "NOT (\(isSame))"
            return [
                TriggerDefinition(
                    "\(name)_in", "INSERT", on: table.name,
                    entry(table, columns, "insert", new: true) + ";", mark(table, "NEW")),
                TriggerDefinition(
                    "\(name)_up", "UPDATE", on: table.name,
                    entry(table, columns, "update", old: true, new: true) + " WHERE \(isSame);",
                    entry(table, columns, "delete", old: true) + " WHERE \(moved);",
                    entry(table, columns, "insert", new: true) + " WHERE \(moved);", mark(table, "OLD"),
                    mark(table, "NEW")),
                TriggerDefinition(
                    "\(name)_out", "DELETE", on: table.name,
                    entry(table, columns, "delete", old: true) + ";", mark(table, "OLD")),
            ]
        }
    }

    /// The list of columns as it is stored with each entry.
    static func names(of columns: [String]) -> String {
        "["
            + columns.map { "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
            .joined(separator: ",") + "]"
    }

    /// A text as an SQL literal.
    static func literal(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

    /// SQL for the current time in milliseconds since 1970.
    static let now = "CAST((julianday('now') - 2440587.5) * 86400000.0 AS INTEGER)"

    private static func entry(
        _ table: GoalTable, _ columns: [String], _ operation: String, old: Bool = false, new: Bool = false
    ) -> String {
        let row = new ? "NEW" : "OLD"
        let indices = columns.indices
        let targets = (old ? indices.map { "o\($0)" } : []) + (new ? indices.map { "n\($0)" } : [])
        let values =
            (old ? columns.map { "OLD.\($0.quotedDatabaseIdentifier)" } : [])
            + (new ? columns.map { "NEW.\($0.quotedDatabaseIdentifier)" } : [])
        let part = table.keys.count > 1 ? "\(row).\(table.keys[1])" : "NULL"
        return """
            INSERT INTO gateway_goal_history
            (at, tbl, entity, part, op, turn, actor, reason, names, \(targets.joined(separator: ", ")))
            SELECT \(now), '\(table.name)', \(row).\(table.keys[0]), \(part), '\(operation)',
            (SELECT turn FROM gateway_goal_context), (SELECT actor FROM gateway_goal_context),
            (SELECT reason FROM gateway_goal_context), \(literal(names(of: columns))), \(values.joined(separator: ", "))
            """
    }

    private static func mark(_ table: GoalTable, _ row: String) -> String {
        guard let dirty = table.dirty else { return "" }
        let id = "\(row).\(dirty.column)"
        return """
            DELETE FROM gateway_goal_dirty WHERE kind = '\(dirty.kind)' AND id IS \(id);
            INSERT INTO gateway_goal_dirty (kind, id) VALUES ('\(dirty.kind)', \(id));
            """
    }
}

/// Brings the history up to rows that changed while there were no triggers.
enum GoalBaseline {
    /// Adds an entry for each row that differs from its latest entry, and marks everything to be matched again.
    static func reconcile(_ database: Database, _ schema: GoalSchema) throws {
        for table in GoalTable.all {
            guard let columns = schema.columns[table.name] else { continue }
            try reconcile(database, table, columns)
        }
        try database.execute(
            sql: """
                DELETE FROM gateway_goal_dirty WHERE kind = 'everything';
                INSERT INTO gateway_goal_dirty (kind) VALUES ('everything');
                """)
    }

    private static func reconcile(_ database: Database, _ table: GoalTable, _ columns: [String]) throws {
        let indices = columns.indices
        func list(_ mark: String) -> String { indices.map { "\(mark)\($0)" }.joined(separator: ", ") }
        let names = GoalTriggers.literal(GoalTriggers.names(of: columns))
        let part = table.keys.count > 1 ? "t.\(table.keys[1])" : "NULL"
        let latest = """
            (SELECT entity, part, op, names, \(list("n")), max(seq) AS seq FROM gateway_goal_history
            WHERE tbl = '\(table.name)' GROUP BY entity, part)
            """
        let differs = indices.map { "h.n\($0) IS NOT t.\(columns[$0].quotedDatabaseIdentifier)" }
        try database.execute(
            sql: """
                INSERT INTO gateway_goal_history (at, tbl, entity, part, op, names, \(list("n")))
                SELECT \(GoalTriggers.now), '\(table.name)', t.\(table.keys[0]), \(part), 'found', \(names),
                \(columns.map { "t.\($0.quotedDatabaseIdentifier)" }.joined(separator: ", "))
                FROM \(table.name) t LEFT JOIN \(latest) h ON h.entity IS t.\(table.keys[0]) AND h.part IS \(part)
                WHERE h.seq IS NULL OR h.op = 'delete' OR h.names IS NOT \(names) OR \(differs.joined(separator: " OR "))
                """)
        try database.execute(
            sql: """
                INSERT INTO gateway_goal_history (at, tbl, entity, part, op, names, \(list("o")))
                SELECT \(GoalTriggers.now), '\(table.name)', h.entity, h.part, 'delete', h.names, \(list("h.n"))
                FROM \(latest) h WHERE h.op <> 'delete' AND NOT EXISTS
                (SELECT 1 FROM \(table.name) t WHERE t.\(table.keys[0]) IS h.entity AND h.part IS \(part))
                """)
    }
}
