import GRDB

/// Reads single values. GRDB's own `fetchOne` of a number or a string fails on a value of another type; these functions
/// skip it.
enum Scalar {
    /// Returns the first column of the first row as an integer; nil without a row or for another value.
    static func integer(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Int64? {
        try Row.fetchOne(database, sql: sql, arguments: arguments)?.integer(0)
    }

    /// Returns the first column of the first row as an integer, clamped to `Int`.
    static func count(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Int? {
        try integer(database, sql: sql, arguments: arguments).map { Int(clamping: $0) }
    }

    /// Returns the first column of the first row as text; nil without a row or for another value.
    static func text(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> String? {
        try Row.fetchOne(database, sql: sql, arguments: arguments)?.text(0)
    }

    /// Returns the first column of every row in which it is an integer.
    static func integers(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [Int64] {
        let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
        var found: [Int64] = []
        while let row = try rows.next() { if let number = row.integer(0) { found.append(number) } }
        return found
    }

    /// Returns the first column of every row in which it is text.
    static func texts(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [String] {
        let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
        var found: [String] = []
        while let row = try rows.next() { if let text = row.text(0) { found.append(text) } }
        return found
    }
}
