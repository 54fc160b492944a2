import GRDB

/// Statements that are compiled once for each connection, for what every answer asks.
///
/// Their SQL must be one of few texts, and name its columns: the names of `SELECT *` are read once, too. Row sets must be
/// read to their end before the same SQL runs again.
extension Database {
    /// Returns the first row; nil without rows.
    func compiledRow(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Row? {
        try Row.fetchOne(try cachedStatement(sql: sql), arguments: arguments)
    }

    /// Returns all rows.
    func compiledRows(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> [Row] {
        try Row.fetchAll(try cachedStatement(sql: sql), arguments: arguments)
    }

    /// Runs a statement without rows.
    func executeCompiled(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
