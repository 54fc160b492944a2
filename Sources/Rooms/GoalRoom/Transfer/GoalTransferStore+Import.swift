import Database
package import GatewayAPI
import Goals
package import Schedules

extension GoalTransferStore {
    /// Rows of one import at most. Rows that are there already are not added again, so a larger file is sent in parts.
    package static let maxRows = 200_000
    /// What an import of more rows is refused with.
    package static let tooManyRows =
        "an import takes at most \(maxRows) rows; split the file and send its parts one after another"
    /// How long one transaction of an import adds rows; other writers wait as long.
    static let maxBatch = Duration.milliseconds(40)
    /// The pause between two transactions. Other programs look for the lock from time to time, so it must not be short.
    static let rest = Duration.milliseconds(20)

    /// Adds the rows of an export. Rows with the key and the values of a stored one are not added; rows with its key and other
    /// values are refused.
    ///
    /// - Throws: ``StorageError/Code/invalid`` for more than ``maxRows`` lines.
    package func importLines(_ text: [UInt8], _ context: GoalContext) async throws -> GoalImport {
        var report = GoalImport()
        var rows: [GoalImportRow] = []
        var (rest, number) = (text[...], 0)
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(line.count + 1)
            number += 1
            if number.isMultiple(of: 256) {
                try Task.checkCancellation()
                await Task.yield()
            }
            // The first line names the format.
            guard number <= Self.maxRows + 1 else { throw StorageError(.invalid, Self.tooManyRows) }
            guard !line.isEmpty else { continue }
            guard let value = try? JSONDocument(parsing: Array(line)).decode(JSONValue.self),
                case .object(let members) = value
            else {
                report.refuse("line", "\(number)", "no JSON object")
                continue
            }
            if members["format"] != nil { continue }
            guard case .string(let name)? = members["table"], let table = GoalTable.named(name),
                case .object(let values)? = members["row"], values.count <= GoalSchema.maxColumns
            else {
                report.refuse("line", "\(number)", "no row of a known table")
                continue
            }
            var row = GoalImportRow(table: table, columns: [])
            for (column, value) in values.sorted(by: { $0.key < $1.key }) {
                guard let value = Self.imported(value) else { break }
                row.columns.append((column, value))
            }
            guard row.columns.count == values.count else {
                report.refuse(name, row.key, "a value that no column has")
                continue
            }
            rows.append(row)
        }
        return try await add(rows, report, context)
    }

    /// Adds actions that were read from text.
    package func importActions(
        _ actions: [(action: ActionRecord, at: Instant)], _ report: GoalImport, _ context: GoalContext
    ) async throws -> GoalImport {
        try await inBatches(actions, report, context) { item, _, report, session in
            do {
                if try GoalActionStore.add(item.action, at: item.at, session) {
                    report.added["actions", default: 0] += 1
                } else {
                    report.same += 1
                }
            } catch let error as StorageError where error.code == .conflict {
                report.refuse("actions", item.action.id, error.message)
            }
        }
    }

    /// Adds rows that were read from another database.
    package func importRows(_ rows: [GoalImportRow], _ context: GoalContext) async throws -> GoalImport {
        try await add(rows, GoalImport(), context)
    }

    private func add(
        _ rows: [GoalImportRow], _ report: GoalImport, _ context: GoalContext
    ) async throws -> GoalImport {
        // Between two batches actions and goals may be matched, which dates those without a day or a first target: what
        // belongs to a goal or an action comes before it.
        let mains = ["goals", "actions"]
        let ordered = rows.filter { !mains.contains($0.table.name) } + rows.filter { mains.contains($0.table.name) }
        return try await inBatches(ordered, report, context, Self.add)
    }

    /// Adds items in transactions of about ``maxBatch``, with a pause between two, so that other writers get their turn. What
    /// is added stays when a later batch fails or the task is cancelled; the same import again goes on there.
    private func inBatches<Item: Sendable>(
        _ items: [Item], _ report: GoalImport, _ context: GoalContext,
        _ add: @escaping @Sendable (Item, GoalSchema, inout GoalImport, any SQLSession) throws -> Void
    ) async throws -> GoalImport {
        var (next, report) = (0, report)
        while next < items.count {
            let (start, before) = (next, report)
            // What was added is matched by the worker, or by the next read.
            (next, report) = try await tables.write(context, matches: false) { session, schema in
                var (index, report) = (start, before)
                let end = ContinuousClock.now + Self.maxBatch
                repeat {
                    try add(items[index], schema, &report, session)
                    index += 1
                } while index < items.count && ContinuousClock.now < end
                return (index, report)
            }
            if next < items.count { try await Task.sleep(for: Self.rest) }
        }
        return report
    }

    private static func add(
        _ row: GoalImportRow, _ schema: GoalSchema, _ report: inout GoalImport, _ session: any SQLSession
    ) throws {
        let (table, columns) = (row.table, row.columns)
        let known = schema.columns[table.name] ?? []
        if let unknown = columns.first(where: { !known.contains($0.name) }) {
            return report.refuse(table.name, row.key, "there is no column \(unknown.name)")
        }
        var parameters = SQLParameters()
        var isRow: [String] = []
        for (index, key) in table.keys.enumerated() {
            let value = columns.first { $0.name == key }?.value ?? .null
            let isID = index == 0 || key.hasSuffix("_id") || key.hasSuffix("_uuid")
            guard case .text(let text) = value, !isID || EntityID(text) != nil else {
                return report.refuse(table.name, row.key, "\(key) is no UUID")
            }
            isRow.append("\(key) = \(parameters.add(text))")
        }
        let names = GoalColumns(columns.map(\.name))
        let stored = try session.first(
            names, "FROM \(table.name) WHERE \(isRow.joined(separator: " AND "))", parameters.values)
        if let stored {
            if columns.allSatisfy({ stored.cell($0.name).isSame(as: $0.value) }) {
                report.same += 1
            } else {
                report.refuse(table.name, row.key, "a row with this key has other values")
            }
            return
        }
        var values: [(String, SQLValue)] = []
        for (column, value) in columns {
            guard let value = table.parameter(value, of: column, session.dialect) else {
                return report.refuse(table.name, row.key, "\(column) takes no such value")
            }
            values.append((column, value))
        }
        do {
            try Self.trying(session) { try GoalTables.insert(table.name, values, session) }
            report.added[table.name, default: 0] += 1
        } catch let error as any TransientError where error.isRefusal {
            report.refuse(table.name, row.key, (error as? StorageError)?.message ?? "\(error)")
        }
    }

    /// After a refusal a server does nothing more in a transaction, unless it goes back to a savepoint.
    private static func trying(_ session: any SQLSession, _ body: () throws -> Void) throws {
        guard session.dialect == .postgres else { return try body() }
        try session.run("SAVEPOINT goal_row")
        do {
            try body()
        } catch {
            try session.run("ROLLBACK TO SAVEPOINT goal_row")
            throw error
        }
        try session.run("RELEASE SAVEPOINT goal_row")
    }
}
