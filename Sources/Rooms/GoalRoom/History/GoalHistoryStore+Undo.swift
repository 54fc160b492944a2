import Database
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
        let (begin, numbers) = try await tables.read { session in
            let numbers = try Self.numbers(what, session)
            if numbers.count > Self.maxAtOnce { try Self.requireLatest(numbers, session) }
            let last = try session.first("SELECT max(seq) FROM gateway_goal_history")?.integer(0)
            return (last ?? 0, numbers)
        }
        guard numbers.count > Self.maxAtOnce else {
            return try await tables.write(context) { session in
                // What was read before the transaction may have changed.
                let numbers = try Self.numbers(what, session)
                try Self.requireLatest(numbers, session)
                for number in numbers { try Self.revert(Self.entry(number, session), session) }
                return numbers
            }
        }
        var next = 0
        while next < numbers.count {
            let start = next
            next = try await tables.write(context, matches: false) { session, _ in
                var index = start
                let end = ContinuousClock.now + GoalTransferStore.maxBatch
                repeat {
                    let entry = try Self.entry(numbers[index], session)
                    try Self.requireUntouched(entry, since: begin, by: context, session)
                    try Self.revert(entry, session)
                    index += 1
                } while index < numbers.count && ContinuousClock.now < end
                return index
            }
            if next < numbers.count { try await Task.sleep(for: GoalTransferStore.rest) }
        }
        return numbers
    }

    /// The numbers of the changes to undo, the latest first.
    private static func numbers(_ what: GoalUndoing, _ session: any SQLSession) throws -> [Int64] {
        let (condition, argument): (String, SQLValue) =
            switch what {
            case .change(let number): ("seq = $1", .integer(number))
            case .turn(let turn): ("turn = $1", .text(turn))
            }
        let rows = try session.rows(
            "SELECT seq FROM gateway_goal_history WHERE \(condition) AND op <> 'found' ORDER BY seq DESC LIMIT $2",
            [argument, .count(maxUndone + 1)])
        guard !rows.isEmpty else {
            throw StorageError(.notFound, "there is no such change, or it was before the history began")
        }
        guard rows.count <= maxUndone else {
            throw StorageError(.invalid, "the turn has more than \(maxUndone) changes")
        }
        return rows.compactMap { $0.integer(0) }
    }

    private static func entry(_ number: Int64, _ session: any SQLSession) throws -> GoalEntry {
        guard let entry = try GoalEntry.all("WHERE seq = $1", [.integer(number)], session).first else {
            throw StorageError(.notFound, "the change \(number) is gone from the history")
        }
        return entry
    }

    /// The latest change of each row must be one that is undone.
    private static func requireLatest(_ numbers: [Int64], _ session: any SQLSession) throws {
        var touched: Set<[SQLCell]> = []
        for number in numbers {
            let entry = try entry(number, session)
            let row = [SQLCell.text(entry.table), entry.entity, entry.part]
            if touched.insert(row).inserted { try requireLatest(entry, session) }
        }
    }

    /// The row's latest change must be the one that is undone.
    private static func requireLatest(_ entry: GoalEntry, _ session: any SQLSession) throws {
        var parameters = SQLParameters()
        let isOfRow = entry.isOfRow(&parameters, session.dialect)
        let latest = try session.first(
            "SELECT max(seq) FROM gateway_goal_history WHERE \(isOfRow)", parameters.values)?.integer(0)
        guard latest == entry.number else { throw changed(entry, latest) }
    }

    /// Nobody but this undoing may have changed the row since it began.
    private static func requireUntouched(
        _ entry: GoalEntry, since begin: Int64, by context: GoalContext, _ session: any SQLSession
    ) throws {
        var parameters = SQLParameters()
        let isOther = """
            \(entry.isOfRow(&parameters, session.dialect)) AND seq > \(parameters.add(.integer(begin)))
            AND NOT (turn \(session.dialect.isSame) \(parameters.add(context.turn)))
            """
        let other = try session.first(
            "SELECT max(seq) FROM gateway_goal_history WHERE \(isOther)", parameters.values)?.integer(0)
        if let other { throw changed(entry, other) }
    }

    private static func changed(_ entry: GoalEntry, _ latest: Int64?) -> StorageError {
        StorageError(
            .conflict,
            "the row \(entry.entity.asText ?? "?") of \(entry.table) was changed since; undo change \(latest ?? 0) first"
        )
    }

    private static func revert(_ entry: GoalEntry, _ session: any SQLSession) throws {
        do {
            try putBack(entry, session)
        } catch let error as any TransientError where error.isRefusal {
            throw StorageError(
                .conflict,
                """
                the row \(entry.entity.asText ?? "?") of \(entry.table) cannot be put back: another row has its place, or one \
                that it needs is gone
                """)
        }
    }

    private static func putBack(_ entry: GoalEntry, _ session: any SQLSession) throws {
        guard let table = GoalTable.named(entry.table) else { return }
        guard entry.old == nil else { return try restore(table, entry, from: entry.number, "o", session) }
        // Another program may have replaced a row; SQLite reports its insertion only.
        if let before = try entry.before(session), before.new != nil {
            return try restore(table, entry, from: before.number, "n", session)
        }
        var parameters = SQLParameters()
        try session.run(
            "DELETE FROM \(table.name) WHERE \(isRow(table, entry, &parameters, session.dialect))", parameters.values)
    }

    /// The condition that a row is that of an entry.
    private static func isRow(
        _ table: GoalTable, _ entry: GoalEntry, _ parameters: inout SQLParameters, _ dialect: SQLDialect
    ) -> String {
        zip(table.keys, [entry.entity, entry.part]).map { key, value in
            "\(key) \(dialect.isSame) \(parameters.add(value.value))"
        }.joined(separator: " AND ")
    }

    /// Writes the values of an entry, in SQL, so that each stays what it is.
    private static func restore(
        _ table: GoalTable, _ entry: GoalEntry, from number: Int64, _ mark: String, _ session: any SQLSession
    ) throws {
        // The table may have other columns by now.
        let present = Set(try GoalSchema.names(of: table.name, session))
        let columns = entry.names.enumerated().filter { present.contains($0.element) }
        let names = columns.map(\.element.quotedName).joined(separator: ", ")
        let values = columns.map { table.restored("\(mark)\($0.offset)", of: $0.element, session.dialect) }
            .joined(separator: ", ")
        var parameters = SQLParameters()
        let entryRow = "SELECT \(values) FROM gateway_goal_history WHERE seq = \(parameters.add(.integer(number)))"
        let condition = isRow(table, entry, &parameters, session.dialect)
        let count = try session.run(
            "UPDATE \(table.name) SET (\(names)) = (\(entryRow)) WHERE \(condition)", parameters.values)
        guard count == 0, entry.entity != .null else { return }
        try session.run("INSERT INTO \(table.name) (\(names)) \(entryRow)", [.integer(number)])
    }
}
