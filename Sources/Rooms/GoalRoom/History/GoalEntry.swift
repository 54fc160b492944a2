import Database
import GatewayAPI

/// An entry of the history.
struct GoalEntry {
    let number: Int64
    let table: String
    let entity: SQLCell
    let part: SQLCell
    let operation: String
    let names: [String]
    /// The values before, by column; nil if there was no row.
    let old: [String: SQLCell]?
    /// The values after, by column; nil if there is no row.
    let new: [String: SQLCell]?
    private let row: GoalRow

    private static let columns = GoalColumns(
        ["seq", "at", "tbl", "entity", "part", "op", "turn", "actor", "reason", "names"]
            + ["o", "n"].flatMap { mark in (0..<GoalSchema.maxColumns).map { "\(mark)\($0)" } })

    /// The entries of a condition and order.
    static func all(_ rest: String, _ values: [SQLValue], _ session: any SQLSession) throws -> [GoalEntry] {
        try session.rows(columns, "FROM gateway_goal_history \(rest)", values).map { row in
            GoalEntry(row, session.dialect)
        }
    }

    /// The latest entry of the same row before this one.
    func before(_ session: any SQLSession) throws -> GoalEntry? {
        var parameters = SQLParameters()
        let condition = "\(isOfRow(&parameters, session.dialect)) AND seq < \(parameters.add(.integer(number)))"
        return try Self.all("WHERE \(condition) ORDER BY seq DESC LIMIT 1", parameters.values, session).first
    }

    /// The condition that an entry is one of the same row.
    func isOfRow(_ parameters: inout SQLParameters, _ dialect: SQLDialect) -> String {
        """
        tbl = \(parameters.add(table)) AND entity \(dialect.isSame) \(parameters.add(entity.value))
        AND part \(dialect.isSame) \(parameters.add(part.value))
        """
    }

    private init(_ row: GoalRow, _ dialect: SQLDialect) {
        self.row = row
        number = row.integer("seq") ?? 0
        let table = row.text("tbl") ?? ""
        self.table = table
        entity = row.cell("entity")
        part = row.cell("part")
        operation = row.text("op") ?? ""
        let names = GoalRows.json(row.text("names"), as: [String].self) ?? []
        self.names = names
        let known = GoalTable.named(table)
        func values(_ mark: String) -> [String: SQLCell] {
            Dictionary(
                names.prefix(GoalSchema.maxColumns).enumerated().map { index, name in
                    let value = row.cell("\(mark)\(index)")
                    return (name, known?.cell(value, of: name, dialect) ?? value)
                }, uniquingKeysWith: { first, _ in first })
        }
        old = ["update", "delete"].contains(operation) ? values("o") : nil
        new = operation == "delete" ? nil : values("n")
    }

    /// The change for the API. `before` is the row's entry before, for a row that another program replaced: SQLite then
    /// reports an insertion only.
    func change(before: GoalEntry?) -> GoalChange {
        let old = old ?? (operation == "insert" ? before?.new : nil)
        let columns = names + (old?.keys.filter { !names.contains($0) }.sorted() ?? [])
        let fields = columns.compactMap { column -> GoalFieldChange? in
            let (was, is_) = (old?[column], new?[column])
            if let was, let is_, was.isSame(as: is_) { return nil }
            guard was != is_ else { return nil }
            return GoalFieldChange(column: column, old: was.map(Self.json), new: is_.map(Self.json))
        }
        return GoalChange(
            number: number, at: Instants.iso8601(row.integer("at") ?? 0), table: table,
            row: [entity, part].compactMap(\.asText).joined(separator: " "),
            operation: operation == "insert" && old != nil ? "update" : operation, actor: row.text("actor"),
            turn: row.text("turn"), reason: row.text("reason"), fields: fields)
    }

    /// A value for clients: blobs, and numbers that JSON lacks, as objects.
    static func json(_ value: SQLCell) -> JSONValue {
        switch value {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): number.isFinite ? .number(number) : .object(["real": .string("\(number)")])
        case .text(let text): .string(text)
        case .bytes(let bytes): .object(["blob": .string(Hexadecimal.text(bytes))])
        }
    }
}

/// Times with milliseconds.
enum Instants {
    /// ISO 8601 in UTC, such as `2026-11-22T07:00:00.123Z`.
    static func iso8601(_ milliseconds: Int64) -> String {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let fraction = String(max(0, rest))
        let padded = String(repeating: "0", count: max(0, 3 - fraction.count)) + fraction
        return "\(Timestamp.iso8601(seconds).dropLast()).\(padded)Z"
    }
}
