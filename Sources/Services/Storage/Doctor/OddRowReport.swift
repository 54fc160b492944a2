/// Unexpected values in tables of other programs. Readers skip or repair them; nothing changes them.
package struct OddRowReport: Sendable, Hashable {
    /// One unexpected value.
    package struct Value: Sendable, Hashable {
        /// The table's name.
        package var table: String
        /// The row id; nil in a table without row ids.
        package var rowID: Int64?
        /// The column's name.
        package var column: String
        /// The type found (`null`, `integer`, `real`, `text`, `blob`), or why the value cannot be read.
        package var found: String
        package var expected: String

        package init(table: String, rowID: Int64?, column: String, found: String, expected: String) {
            self.table = table
            self.rowID = rowID
            self.column = column
            self.found = found
            self.expected = expected
        }
    }

    /// The number of unexpected values in a column.
    package struct Count: Sendable, Hashable {
        /// The table's name.
        package var table: String
        /// The column's name.
        package var column: String
        /// The number of unexpected values.
        package var values: Int

        package init(table: String, column: String, values: Int) {
            self.table = table
            self.column = column
            self.values = values
        }
    }

    /// The first unexpected values of each column, up to the given limit.
    package var values: [Value] = []
    /// Columns with unexpected values, by table and column.
    package var counts: [Count] = []
    /// Number of rows with unexpected values, by table; tables without such rows are absent.
    package var rows: [String: Int] = [:]
    /// Every table that was checked.
    package var tables: [String] = []

    /// Creates an empty report.
    package init() {}
}

extension OddRowReport {
    /// Finds unexpected values in the tables that other programs write. Reads each row of these tables once: about a
    /// second for 100,000 notes.
    ///
    /// - Parameter limit: The maximum number of values listed per column; all are counted.
    /// - Throws: ``StorageError``.
    package static func of(_ database: GatewayDatabase, limit: Int) async throws -> OddRowReport {
        var report = OddRowReport()
        // One snapshot per table, since a long snapshot would keep the WAL from being truncated.
        for (table, columns) in ExpectedColumns.all {
            try Task.checkCancellation()
            let part = try await database.read { database in
                try OddRows.inspect(table, columns, database, limit: max(0, limit))
            }
            guard let part else { continue }
            report.tables.append(table)
            report.values += part.values
            report.counts += part.counts
            report.rows.merge(part.rows) { $1 }
        }
        return report
    }
}
