import Foundation
import GRDB
package import GatewayAPI
import Goals
package import Schedules

/// The rows of an import that were not added.
package struct GoalImport: Sendable, Hashable {
    /// Refusals that are reported at most.
    static let maxRefusals = 200

    /// Rows that were added, by table.
    package var added: [String: Int] = [:]
    /// Rows that were there already.
    package var same = 0
    /// The first refusals.
    package var refused: [GoalImportRefusal] = []
    /// The number of all refusals.
    package var refusals = 0

    /// Creates an empty report.
    package init() {}

    /// Counts a row that was not added.
    package mutating func refuse(_ table: String, _ row: String, _ reason: String) {
        refusals += 1
        guard refused.count < Self.maxRefusals else { return }
        refused.append(GoalImportRefusal(table: table, row: String(row.prefix(64)), reason: reason))
    }
}

/// A row to import, with every value as it was.
struct GoalImportRow {
    let table: GoalTable
    var columns: [(name: String, value: DatabaseValue)]

    /// The values of the key, as text for reports.
    var key: String {
        table.keys.map { key in columns.first { $0.name == key }?.value.asText ?? "" }.joined(separator: " ")
    }
}

/// Import and export of whole tables.
package struct GoalTransferStore: Sendable {
    let tables: GoalTables

    /// Rows of an export at most.
    static let maxExported = 3_000_000
    /// The first line of an export.
    static let header = #"{"format":"selene-goals","version":1}"#
    /// Bytes of one part of an export, about.
    private static let partBytes = 64 << 10

    // MARK: Export

    /// Returns all rows as JSON lines, in parts, from one snapshot.
    ///
    /// The same rows give the same bytes. Reals are `{"r": "0.1"}`, the shortest decimal that reads back to the last bit; blobs
    /// are `{"b": "<hex>"}`.
    package func export() async throws -> [String] {
        // An export has the day of each action.
        try await tables.settle()
        return try await tables.read { database in
            let schema = try GoalSchema(database)
            var parts: [String] = []
            var part = Self.header + "\n"
            var count = 0
            for table in GoalTable.all {
                guard let columns = schema.columns[table.name] else { continue }
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT \(columns.map(\.quotedDatabaseIdentifier).joined(separator: ", ")) FROM \(table.name)
                        ORDER BY \(table.keys.joined(separator: ", "))
                        """)
                while let row = try rows.next() {
                    part += Self.line(table, columns, row)
                    count += 1
                    guard count <= Self.maxExported else {
                        throw StorageError(.conflict, "there are more than \(Self.maxExported) rows to export")
                    }
                    if part.utf8.count >= Self.partBytes {
                        parts.append(part)
                        part = ""
                    }
                }
            }
            return parts + [part]
        }
    }

    private static func line(_ table: GoalTable, _ columns: [String], _ row: Row) -> String {
        var json = Array(#"{"table":"\#(table.name)","row":{"#.utf8)
        for (index, column) in columns.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            JSONBytes.append(column, to: &json)
            json.append(UInt8(ascii: ":"))
            JSONBytes.append(exported(row.raw(column)), to: &json)
        }
        return String(decoding: json, as: UTF8.self) + "}}\n"
    }

    private static func exported(_ value: DatabaseValue) -> JSONValue {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .object(["r": .string("\(number)")])
        case .string(let text): .string(text)
        case .blob(let data):
            .object(["b": .string(Hexadecimal.text(data))])
        }
    }

    private static func imported(_ value: JSONValue) -> DatabaseValue? {
        switch value {
        case .null: return .null
        case .integer(let number): return number.databaseValue
        case .string(let text): return text.databaseValue
        case .object(let members) where members.count == 1:
            if case .string(let text)? = members["r"] { return Double(text)?.databaseValue }
            guard case .string(let text)? = members["b"] else { return nil }
            return Hexadecimal.bytes(text).map { Data($0).databaseValue }
        default: return nil
        }
    }

    // MARK: Import

    /// Adds the rows of an export. Rows with the key and the values of a stored one are not added; rows with its key and other
    /// values are refused.
    package func importLines(_ text: [UInt8], _ context: GoalContext) async throws -> GoalImport {
        var report = GoalImport()
        var rows: [GoalImportRow] = []
        for (index, line) in text.split(separator: 0x0A).enumerated() {
            guard let value = try? JSONDocument(parsing: Array(line)).decode(JSONValue.self),
                case .object(let members) = value
            else {
                report.refuse("line", "\(index + 1)", "no JSON object")
                continue
            }
            if members["format"] != nil { continue }
            guard case .string(let name)? = members["table"], let table = GoalTable.named(name),
                case .object(let values)? = members["row"], values.count <= GoalSchema.maxColumns
            else {
                report.refuse("line", "\(index + 1)", "no row of a known table")
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

    /// Adds the rows of a database of the original app, of either generation.
    ///
    /// - Returns: The report, and `sqlite-python` or `sqlite-swift`.
    /// - Throws: ``StorageError/Code/invalid`` for a file without its tables.
    package func importDatabase(
        at path: String, _ context: GoalContext
    ) async throws -> (report: GoalImport, format: String) {
        let rule = tables.rule
        let read: (rows: [GoalImportRow], format: String)
        do {
            var configuration = Configuration()
            configuration.readonly = true
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            read = try await queue.read { try OriginalDatabase($0, rule: rule).rows() }
        } catch let error as DatabaseError {
            throw StorageError(
                .invalid, "the file cannot be read as a database: \(error.message ?? "SQLite error")")
        }
        return (try await add(read.rows, GoalImport(), context), read.format)
    }

    /// Adds actions that were read from text.
    package func importActions(
        _ actions: [(action: ActionRecord, at: Instant)], _ report: GoalImport, _ context: GoalContext
    ) async throws -> GoalImport {
        try await tables.write(context) { database in
            var report = report
            for (action, at) in actions {
                do {
                    if try GoalActionStore.add(action, at: at, database) {
                        report.added["actions", default: 0] += 1
                    } else {
                        report.same += 1
                    }
                } catch let error as StorageError where error.code == .conflict {
                    report.refuse("actions", action.id, error.message)
                }
            }
            return report
        }
    }

    private func add(
        _ rows: [GoalImportRow], _ report: GoalImport, _ context: GoalContext
    ) async throws -> GoalImport {
        let boxed = UncheckedRows(rows)
        return try await tables.write(context) { database in
            var report = report
            let schema = try GoalSchema(database)
            for row in boxed.rows { try Self.add(row, schema, &report, database) }
            return report
        }
    }

    /// Rows of values that cannot change any more.
    private struct UncheckedRows: Sendable {
        let rows: [(table: GoalTable, key: String, columns: [(name: String, value: DatabaseValue)])]

        init(_ rows: [GoalImportRow]) { self.rows = rows.map { ($0.table, $0.key, $0.columns) } }
    }

    private static func add(
        _ row: (table: GoalTable, key: String, columns: [(name: String, value: DatabaseValue)]),
        _ schema: GoalSchema, _ report: inout GoalImport, _ database: Database
    ) throws {
        let (table, columns) = (row.table, row.columns)
        let known = schema.columns[table.name] ?? []
        if let unknown = columns.first(where: { !known.contains($0.name) }) {
            return report.refuse(table.name, row.key, "there is no column \(unknown.name)")
        }
        var keys: [DatabaseValue] = []
        for (index, key) in table.keys.enumerated() {
            let value = columns.first { $0.name == key }?.value ?? .null
            let isID = index == 0 || key.hasSuffix("_id") || key.hasSuffix("_uuid")
            guard case .string(let text) = value.storage, !isID || EntityID(text) != nil else {
                return report.refuse(table.name, row.key, "\(key) is no UUID")
            }
            keys.append(value)
        }
        let isRow = table.keys.map { "\($0) = ?" }.joined(separator: " AND ")
        let stored = try Row.fetchOne(
            database, sql: "SELECT * FROM \(table.name) WHERE \(isRow)", arguments: StatementArguments(keys))
        if let stored {
            if columns.allSatisfy({ stored.raw($0.name) == $0.value }) {
                report.same += 1
            } else {
                report.refuse(table.name, row.key, "a row with this key has other values")
            }
            return
        }
        do {
            try GoalTables.insert(table.name, columns.map { ($0.name.quotedDatabaseIdentifier, $0.value) }, database)
            report.added[table.name, default: 0] += 1
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            report.refuse(table.name, row.key, error.message ?? "the database refused the row")
        }
    }
}
