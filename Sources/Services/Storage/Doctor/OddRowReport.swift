/// Values of another program that no reader expects: they are skipped or repaired when they are read, never changed.
public struct OddRowReport: Sendable, Hashable {
    /// One value.
    public struct Value: Sendable, Hashable {
        /// The table.
        public var table: String
        /// The row; nil in a table without row ids.
        public var rowID: Int64?
        /// The column.
        public var column: String
        /// What is there: `null`, `integer`, `real`, `text`, `blob`, or why it cannot be read.
        public var found: String
        /// What was expected.
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

    /// How many odd values a column has.
    public struct Count: Sendable, Hashable {
        /// The table.
        public var table: String
        /// The column.
        public var column: String
        /// Odd values in it.
        public var values: Int

        /// Creates a count.
        public init(table: String, column: String, values: Int) {
            self.table = table
            self.column = column
            self.values = values
        }
    }

    /// The first values of each column, up to the limit that was asked for.
    public var values: [Value] = []
    /// Columns with odd values, by table and column.
    public var counts: [Count] = []
    /// Odd rows by table; a table without any has none.
    public var rows: [String: Int] = [:]
    /// Every table that was looked at.
    public var tables: [String] = []

    /// Creates an empty report.
    public init() {}
}

extension OddRowReport {
    /// Looks for values that no reader expects in the tables that other programs write. Reads every row of them once:
    /// about a second for 100,000 notes.
    ///
    /// - Parameter limit: Values of each column that are named; all of them are counted.
    /// - Throws: ``StorageError``.
    public static func of(_ database: GatewayDatabase, limit: Int) async throws -> OddRowReport {
        var report = OddRowReport()
        // A snapshot for each table: a long one would keep the log of the file from being cut.
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
