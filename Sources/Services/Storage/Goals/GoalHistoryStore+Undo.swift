import GRDB
import GatewayAPI

/// What to undo.
package enum GoalUndoing: Sendable, Hashable {
    /// One change of one row.
    case change(Int64)
    /// All changes of a turn.
    case turn(String)
}

extension GoalHistoryStore {
    /// Changes of one turn that are undone at most.
    static let maxUndone = 100_000

    /// Puts rows back to what they were, to the last bit. The undoing is a turn itself.
    ///
    /// - Returns: The numbers of the changes that were undone.
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` if a row was changed since.
    package func undo(_ what: GoalUndoing, _ context: GoalContext) async throws -> [Int64] {
        try await tables.write(context) { database in
            let (condition, argument): (String, DatabaseValue) =
                switch what {
                case .change(let number): ("seq = ?", number.databaseValue)
                case .turn(let turn): ("turn = ?", turn.databaseValue)
                }
            let entries = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM gateway_goal_history WHERE \(condition) AND op <> 'found' ORDER BY seq DESC LIMIT ?
                    """, arguments: [argument, Self.maxUndone + 1]
            ).map(GoalEntry.init)
            guard !entries.isEmpty else {
                throw StorageError(.notFound, "there is no such change, or it was before the history began")
            }
            guard entries.count <= Self.maxUndone else {
                throw StorageError(.invalid, "the turn has more than \(Self.maxUndone) changes")
            }
            var touched: Set<[DatabaseValue]> = []
            for entry in entries {
                let row = [entry.table.databaseValue, entry.entity, entry.part]
                if touched.insert(row).inserted { try Self.requireLatest(entry, database) }
                try Self.revert(entry, database)
            }
            return entries.map(\.number)
        }
    }

    /// The row's latest change must be the one that is undone.
    private static func requireLatest(_ entry: GoalEntry, _ database: Database) throws {
        let latest = try Scalar.integer(
            database,
            sql: "SELECT max(seq) FROM gateway_goal_history WHERE tbl = ? AND entity IS ? AND part IS ?",
            arguments: [entry.table, entry.entity, entry.part])
        guard latest == entry.number else {
            throw StorageError(
                .conflict,
                "the row \(entry.entity.asText ?? "?") of \(entry.table) was changed since; undo change \(latest ?? 0) first"
            )
        }
    }

    private static func revert(_ entry: GoalEntry, _ database: Database) throws {
        guard let table = GoalTable.named(entry.table) else { return }
        // The table may have other columns by now.
        let present = Set(
            try Scalar.texts(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table.name]))
        let columns = entry.names.enumerated().filter { present.contains($0.element) }
        let isRow =
            table.keys.count > 1
            ? "\(table.keys[0]) IS ?2 AND \(table.keys[1]) IS ?3" : "\(table.keys[0]) IS ?2 AND ?3 IS NULL"
        let arguments: StatementArguments = [entry.number, entry.entity, entry.part]
        if entry.old == nil {
            // Another program may have replaced a row; SQLite reports its insertion only.
            let before = try Row.fetchOne(
                database,
                sql: """
                    SELECT * FROM gateway_goal_history WHERE tbl = ? AND entity IS ? AND part IS ? AND seq < ?
                    ORDER BY seq DESC LIMIT 1
                    """, arguments: [entry.table, entry.entity, entry.part, entry.number]
            ).map(GoalEntry.init)
            guard let before, before.new != nil else {
                return try database.execute(
                    sql: "DELETE FROM \(table.name) WHERE \(isRow) AND ?1", arguments: arguments)
            }
            return try restore(table, columns, mark: "n", isRow, [before.number, entry.entity, entry.part], database)
        }
        try restore(table, columns, mark: "o", isRow, arguments, database)
    }

    /// Writes the values of an entry, in SQL, so that each stays what it is.
    private static func restore(
        _ table: GoalTable, _ columns: [(offset: Int, element: String)], mark: String, _ isRow: String,
        _ arguments: StatementArguments, _ database: Database
    ) throws {
        let names = columns.map(\.element.quotedDatabaseIdentifier)
        let values = columns.map { "\(mark)\($0.offset)" }
        try database.execute(
            sql: """
                UPDATE \(table.name) SET (\(names.joined(separator: ", "))) =
                (SELECT \(values.joined(separator: ", ")) FROM gateway_goal_history WHERE seq = ?1) WHERE \(isRow)
                """, arguments: arguments)
        guard database.changesCount == 0 else { return }
        try database.execute(
            sql: """
                INSERT INTO \(table.name) (\(names.joined(separator: ", ")))
                SELECT \(values.joined(separator: ", ")) FROM gateway_goal_history
                WHERE seq = ?1 AND ?2 IS NOT NULL AND (?3 IS NULL OR 1)
                """, arguments: arguments)
    }
}
