import Database

/// The columns of an answer, with their names.
struct GoalColumns: Sendable {
    /// SQL for the columns, in their order.
    let list: String
    let names: [String]
    private let places: [String: Int]

    /// - Parameter table: The table's name in the statement; nil for a statement with one table.
    init(_ names: [String], of table: String? = nil) {
        let prefix = table.map { "\($0)." } ?? ""
        self.init(names, list: names.map { prefix + $0.quotedName }.joined(separator: ", "))
    }

    private init(_ names: [String], list: String) {
        (self.names, self.list) = (names, list)
        places = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// These columns, then others.
    func and(_ names: [String], of table: String) -> GoalColumns {
        GoalColumns(self.names + names, list: "\(list), \(GoalColumns(names, of: table).list)")
    }

    /// These columns, then an expression.
    func and(_ name: String, as expression: String) -> GoalColumns {
        GoalColumns(names + [name], list: "\(list), \(expression) AS \(name)")
    }

    func place(of name: String) -> Int { places[name] ?? -1 }
}

/// A row whose columns have names. One that the row lacks reads as NULL.
struct GoalRow: Sendable {
    private let columns: GoalColumns
    private let row: SQLRow

    init(_ columns: GoalColumns, _ row: SQLRow) { (self.columns, self.row) = (columns, row) }

    /// The row of values by column.
    init(_ values: [String: SQLCell]) {
        let names = Array(values.keys)
        self.init(GoalColumns(names), SQLRow(names.map { values[$0] ?? .null }))
    }

    func cell(_ column: String) -> SQLCell {
        let place = columns.place(of: column)
        return row.cells.indices.contains(place) ? row.cells[place] : .null
    }

    func text(_ column: String) -> String? { cell(column).asText }
    func date(_ column: String) -> String? { cell(column).asDate }
    func real(_ column: String) -> Double? { cell(column).asReal }
    func integer(_ column: String) -> Int64? { cell(column).asInteger }
    /// An integer, clamped to `Int`; 0 for anything else.
    func count(_ column: String) -> Int { Int(clamping: integer(column) ?? 0) }
}

extension SQLSession {
    /// The rows of `SELECT`, these columns, and the rest of the statement.
    func rows(_ columns: GoalColumns, _ rest: String, _ values: [SQLValue] = []) throws -> [GoalRow] {
        try rows("SELECT \(columns.list) \(rest)", values).map { GoalRow(columns, $0) }
    }

    func first(_ columns: GoalColumns, _ rest: String, _ values: [SQLValue] = []) throws -> GoalRow? {
        try rows(columns, rest, values).first
    }

    /// The first column of every row in which it is text.
    func texts(_ sql: String, _ values: [SQLValue] = []) throws -> [String] {
        try rows(sql, values).compactMap { $0.text(0) }
    }
}

extension String {
    /// The name of a column as SQL.
    var quotedName: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
