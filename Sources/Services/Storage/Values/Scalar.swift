import GRDB

/// Reads single values. GRDB's own `fetchOne` of a number or a string fails on a value of another type; these skip it.
enum Scalar {
    /// The first column of the first row as a whole number; nil without a row, or when it is none.
    static func integer(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Int64? {
        try Row.fetchOne(database, sql: sql, arguments: arguments)?.integer(0)
    }

    /// The same, clamped to what fits.
    static func count(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> Int? {
        try integer(database, sql: sql, arguments: arguments).map { Int(clamping: $0) }
    }

    /// The first column of the first row as text; nil without a row, or when it is none.
    static func text(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> String? {
        try Row.fetchOne(database, sql: sql, arguments: arguments)?.text(0)
    }

    /// The first column of every row that holds a whole number.
    static func integers(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [Int64] {
        let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
        var found: [Int64] = []
        while let row = try rows.next() { if let number = row.integer(0) { found.append(number) } }
        return found
    }

    /// The first column of every row that holds text.
    static func texts(
        _ database: Database, sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> [String] {
        let rows = try Row.fetchCursor(database, sql: sql, arguments: arguments)
        var found: [String] = []
        while let row = try rows.next() { if let text = row.text(0) { found.append(text) } }
        return found
    }
}

/// How large a value of another program may be that is read; a larger one counts as missing.
enum ValueLimit {
    /// Bytes of a note's or a message's text.
    static let text = 16 << 20
    /// Bytes of any other value: titles, lists, summaries, vectors.
    static let field = 1 << 20
    /// Bytes of rows that are held at once for a reply or a batch, beside the last one.
    static let batch = 32 << 20

    /// SQL for a value that is NULL when it has more bytes than allowed, so that it is never loaded.
    static func bounded(_ expression: String, _ limit: Int = field) -> String {
        guard expression != "NULL" else { return expression }
        // `length` counts characters of a text, and stops at a NUL.
        return """
            CASE WHEN typeof(\(expression)) NOT IN ('text', 'blob')
            OR length(CAST(\(expression) AS BLOB)) <= \(limit) THEN \(expression) END
            """
    }

    /// SQL for a finite number; another one for anything that is none.
    static func finite(_ expression: String, else fallback: String) -> String {
        guard expression != "NULL" else { return fallback }
        return """
            coalesce(CASE WHEN abs(CAST(\(expression) AS REAL)) <= 1.7976931348623157e308
            THEN CAST(\(expression) AS REAL) END, \(fallback))
            """
    }
}
