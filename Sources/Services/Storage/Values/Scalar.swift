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

/// The maximum sizes of values of other programs; larger values count as missing.
package enum ValueLimit {
    /// Bytes of a note's or a message's text.
    package static let text = 16 << 20
    /// Bytes of any other value: titles, lists, summaries, vectors.
    package static let field = 1 << 20
    /// Bytes of rows in memory at once for a reply or a batch, not counting the last row.
    package static let batch = 32 << 20

    /// Returns SQL that gives NULL for values of more than `limit` bytes, so that they are never loaded.
    static func bounded(_ expression: String, _ limit: Int = field) -> String {
        guard expression != "NULL" else { return expression }
        // `length` of a text counts characters and stops at NUL, so this casts to a blob.
        return """
            CASE WHEN typeof(\(expression)) NOT IN ('text', 'blob')
            OR length(CAST(\(expression) AS BLOB)) <= \(limit) THEN \(expression) END
            """
    }

    /// Returns SQL for a finite number, or the fallback for anything else.
    static func finite(_ expression: String, else fallback: String) -> String {
        guard expression != "NULL" else { return fallback }
        return """
            coalesce(CASE WHEN abs(CAST(\(expression) AS REAL)) <= 1.7976931348623157e308
            THEN CAST(\(expression) AS REAL) END, \(fallback))
            """
    }
}
