/// Unexpected values in tables of other programs. Readers skip or repair them; nothing changes them.
public struct OddRowReport: Sendable, Hashable {
    /// One unexpected value.
    public struct Value: Sendable, Hashable {
        /// The table's name.
        public var table: String
        /// The row id; nil in a table without row ids.
        public var rowID: Int64?
        /// The column's name.
        public var column: String
        /// The type found (`null`, `integer`, `real`, `text`, `blob`), or why the value cannot be read.
        public var found: String
        /// The expected value.
        public var expected: String

        /// Creates a value.
        public init(table: String, rowID: Int64?, column: String, found: String, expected: String) {
            self.table = table
            self.rowID = rowID
            self.column = column
            self.found = found
            self.expected = expected
        }
    }

    /// The number of unexpected values in a column.
    public struct Count: Sendable, Hashable {
        /// The table's name.
        public var table: String
        /// The column's name.
        public var column: String
        /// The number of unexpected values.
        public var values: Int

        /// Creates a count.
        public init(table: String, column: String, values: Int) {
            self.table = table
            self.column = column
            self.values = values
        }
    }

    /// The first unexpected values of each column, up to the given limit.
    public var values: [Value] = []
    /// Columns with unexpected values, by table and column.
    public var counts: [Count] = []
    /// Number of rows with unexpected values, by table; tables without such rows are absent.
    public var rows: [String: Int] = [:]
    /// Every table that was checked.
    public var tables: [String] = []

    /// Creates an empty report.
    public init() {}
}

extension OddRowReport {
    /// Finds unexpected values in the tables that other programs write. Reads each row of these tables once: about a
    /// second for 100,000 notes.
    ///
    /// - Parameter limit: The maximum number of values listed per column; all are counted.
    /// - Throws: ``StorageError``.
    public static func of(_ database: GatewayDatabase, limit: Int) async throws -> OddRowReport {
        var report = OddRowReport()
        // One snapshot per table, since a long snapshot would keep the WAL from being truncated.
        for (table, columns) in ExpectedColumns.all {
            try Task.checkCancellation()
            let part = try await database.read { database in
                try OddRows.look(at: table, columns, database, limit: max(0, limit))
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
