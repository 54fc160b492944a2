import Foundation
import GRDB

/// Finds unexpected values in one table.
enum OddRows {
    /// The SQL function `gateway_is_utf8(blob)`: whether bytes are UTF-8.
    static let sqlFunction = DatabaseFunction("gateway_is_utf8", argumentCount: 1, pure: true) { values in
        guard case .blob(let data) = values[0].storage else { return true }
        return String(validating: data, as: UTF8.self) != nil
    }

    /// - Returns: The report; nil when the file has no such table, or none of the columns.
    static func inspect(
        _ table: String, _ columns: [(name: String, expected: ExpectedValue)], _ database: Database, limit: Int
    ) throws -> OddRowReport? {
        let known = try TableColumns(database, table)
        let columns = columns.filter { known.names.contains($0.name) }
        guard !columns.isEmpty else { return nil }
        var report = OddRowReport()
        var counts = [Int](repeating: 0, count: columns.count)
        let faults = columns.map { $0.expected.fault(of: "t.\($0.name)") }
        let rows = try Row.fetchCursor(
            database, sql: "SELECT \(rowID(of: table, database)), \(faults.joined(separator: ", ")) FROM \(table) t")
        while let row = try rows.next() {
            var isOdd = false
            for (index, column) in columns.enumerated() {
                guard let found = row.text(index + 1) else { continue }
                isOdd = true
                counts[index] += 1
                guard counts[index] <= limit else { continue }
                report.values.append(
                    OddRowReport.Value(
                        table: table, rowID: row.integer(0), column: column.name, found: found,
                        expected: column.expected.rawValue))
            }
            if isOdd { report.rows[table, default: 0] += 1 }
        }
        report.counts = zip(columns, counts).filter { $1 > 0 }.map {
            OddRowReport.Count(table: table, column: $0.name, values: $1)
        }
        return report
    }

    /// Returns SQL for the row id, `NULL` for views and tables without row ids.
    private static func rowID(of table: String, _ database: Database) -> String {
        (try? database.makeStatement(sql: "SELECT rowid FROM \(table) LIMIT 0")) == nil ? "NULL" : "t.rowid"
    }
}
