/// The maximum sizes of values of other programs; larger values count as missing.
package enum ValueLimit {
    /// Bytes of a note's or a message's text.
    package static let text = 16 << 20
    /// Bytes of any other value: titles, lists, summaries, vectors.
    package static let field = 1 << 20
    /// Bytes of rows in memory at once for a reply or a batch, not counting the last row.
    package static let batch = 32 << 20

    /// Returns SQL for SQLite that gives NULL for values of more than `limit` bytes, so that they are never loaded.
    package static func bounded(_ expression: String, _ limit: Int = field) -> String {
        guard expression != "NULL" else { return expression }
        // `length` of a text counts characters and stops at NUL, so this casts to a blob.
        return """
            CASE WHEN typeof(\(expression)) NOT IN ('text', 'blob')
            OR length(CAST(\(expression) AS BLOB)) <= \(limit) THEN \(expression) END
            """
    }

    /// Returns SQL for SQLite for a finite number, or the fallback for anything else.
    package static func finite(_ expression: String, else fallback: String) -> String {
        guard expression != "NULL" else { return fallback }
        return """
            coalesce(CASE WHEN abs(CAST(\(expression) AS REAL)) <= 1.7976931348623157e308
            THEN CAST(\(expression) AS REAL) END, \(fallback))
            """
    }
}
