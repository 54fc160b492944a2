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

    /// Changes that are undone in one transaction, all or none. More of them take several, so that others write meanwhile.
    static let maxAtOnce = 200

    /// Puts rows back to what they were, to the last bit. The undoing is a turn itself.
    ///
    /// - Returns: The numbers of the changes that were undone.
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/conflict`` if a row was changed since. Then nothing was
    ///   undone, unless the row was changed during the undoing of more than ``maxAtOnce`` changes.
    package func undo(_ what: GoalUndoing, _ context: GoalContext) async throws -> [Int64] {
        let (begin, numbers) = try await tables.read { database in
            let numbers = try Self.numbers(what, database)
            if numbers.count > Self.maxAtOnce { try Self.requireLatest(numbers, database) }
            return (try Scalar.integer(database, sql: "SELECT max(seq) FROM gateway_goal_history") ?? 0, numbers)
        }
        guard numbers.count > Self.maxAtOnce else {
            return try await tables.write(context) { database in
                // What was read before the transaction may have changed.
                let numbers = try Self.numbers(what, database)
                try Self.requireLatest(numbers, database)
                for number in numbers { try Self.revert(Self.entry(number, database), database) }
                return numbers
            }
        }
        var next = 0
        while next < numbers.count {
            let start = next
            next = try await tables.write(context, matches: false) { database, _ in
                var index = start
                let end = ContinuousClock.now + GoalTransferStore.maxBatch
                repeat {
                    let entry = try Self.entry(numbers[index], database)
                    try Self.requireUntouched(entry, since: begin, by: context, database)
                    try Self.revert(entry, database)
                    index += 1
                } while index < numbers.count && ContinuousClock.now < end
                return index
            }
            if next < numbers.count { try await Task.sleep(for: GoalTransferStore.rest) }
        }
        return numbers
    }

    /// The numbers of the changes to undo, the latest first.
    private static func numbers(_ what: GoalUndoing, _ database: Database) throws -> [Int64] {
        let (condition, argument): (String, DatabaseValue) =
            switch what {
            case .change(let number): ("seq = ?", number.databaseValue)
            case .turn(let turn): ("turn = ?", turn.databaseValue)
            }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT seq FROM gateway_goal_history WHERE \(condition) AND op <> 'found' ORDER BY seq DESC LIMIT ?
                """, arguments: [argument, maxUndone + 1])
        guard !rows.isEmpty else {
            throw StorageError(.notFound, "there is no such change, or it was before the history began")
        }
        guard rows.count <= maxUndone else {
            throw StorageError(.invalid, "the turn has more than \(maxUndone) changes")
        }
        return rows.compactMap { $0.integer(0) }
    }

    private static func entry(_ number: Int64, _ database: Database) throws -> GoalEntry {
        let row = try Row.fetchOne(
            database, sql: "SELECT * FROM gateway_goal_history WHERE seq = ?", arguments: [number])
        guard let row else { throw StorageError(.notFound, "the change \(number) is gone from the history") }
        return GoalEntry(row)
    }

    /// The latest change of each row must be one that is undone.
    private static func requireLatest(_ numbers: [Int64], _ database: Database) throws {
        var touched: Set<[DatabaseValue]> = []
        for number in numbers {
            let entry = try entry(number, database)
            let row = [entry.table.databaseValue, entry.entity, entry.part]
            if touched.insert(row).inserted { try requireLatest(entry, database) }
        }
    }

    /// The row's latest change must be the one that is undone.
    private static func requireLatest(_ entry: GoalEntry, _ database: Database) throws {
        let latest = try Scalar.integer(
            database,
            sql: "SELECT max(seq) FROM gateway_goal_history WHERE tbl = ? AND entity IS ? AND part IS ?",
            arguments: [entry.table, entry.entity, entry.part])
        guard latest == entry.number else { throw changed(entry, latest) }
    }

    /// Nobody but this undoing may have changed the row since it began.
    private static func requireUntouched(
        _ entry: GoalEntry, since begin: Int64, by context: GoalContext, _ database: Database
    ) throws {
        let other = try Scalar.integer(
            database,
            sql: """
                SELECT max(seq) FROM gateway_goal_history WHERE tbl = ? AND entity IS ? AND part IS ? AND seq > ?
                AND turn IS NOT ?
                """, arguments: [entry.table, entry.entity, entry.part, begin, context.turn])
        if let other { throw changed(entry, other) }
    }

    private static func changed(_ entry: GoalEntry, _ latest: Int64?) -> StorageError {
        StorageError(
            .conflict,
            "the row \(entry.entity.asText ?? "?") of \(entry.table) was changed since; undo change \(latest ?? 0) first"
        )
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
