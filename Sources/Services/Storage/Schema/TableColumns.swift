import Foundation
import GRDB

/// Which columns a table has in this file. The same column has other names in some files.
struct TableColumns: Sendable {
    let table: String
    /// In lower case; empty when the file has no such table.
    let names: Set<String>
    /// Those that refuse NULL.
    let required: Set<String>

    /// Whether the column `id` is the key of the rows, which only whole numbers can be.
    let hasRowID: Bool
    /// Whether triggers can be made on it: neither missing, nor a view, nor virtual.
    let takesTriggers: Bool

    /// Asks SQLite itself: GRDB's own notes of a schema may be older than this snapshot.
    init(_ database: Database, _ table: String) throws {
        self.table = table
        let columns = try Row.fetchAll(
            database, sql: "SELECT name, \"notnull\", pk, type FROM pragma_table_info(?)", arguments: [table])
        names = Set(columns.compactMap { $0.text(0)?.lowercased() })
        required = Set(columns.filter { $0.count(1) != 0 }.compactMap { $0.text(0)?.lowercased() })
        let keys = columns.filter { $0.count(2) != 0 }
        let definition = try Row.fetchOne(
            database,
            sql: "SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view')",
            arguments: [table])
        let sql = definition?.text(1)?.uppercased() ?? ""
        takesTriggers = definition?.text(0) == "table" && !sql.hasPrefix("CREATE VIRTUAL")
        hasRowID =
            takesTriggers && keys.count == 1 && keys[0].text(0)?.lowercased() == "id"
            && keys[0].text(3)?.uppercased() == "INTEGER" && !sql.contains("WITHOUT ROWID")
            && !sql.contains(" DESC")
    }

    /// The condition under which the column `id` holds a whole number; `1` where it always does.
    func hasNumber(_ alias: String) -> String { hasRowID ? "1" : "typeof(\(alias).id) = 'integer'" }

    /// The value of the first of the columns that the table has, NULL when it is larger than what is read.
    func bounded(_ alias: String, _ candidates: String..., limit: Int = ValueLimit.field) -> String {
        ValueLimit.bounded(candidates.first(where: names.contains).map { "\(alias).\($0)" } ?? "NULL", limit)
    }

    /// The first of the names that the table has.
    func name(_ candidates: String...) -> String? { candidates.first(where: names.contains) }

    /// `alias.column` by the first of the names that the table has, or NULL.
    func value(_ alias: String, _ candidates: String...) -> String {
        candidates.first(where: names.contains).map { "\(alias).\($0)" } ?? "NULL"
    }
}

/// SQL over columns that hold dates in any of the forms that occur.
enum SQLTime {
    /// Seconds since 1970; 0 for what cannot be read. A number stands for seconds, or for milliseconds when it is large.
    static func seconds(_ column: String) -> String {
        guard column != "NULL" else { return "0" }
        return """
            coalesce(CASE typeof(\(column)) WHEN 'text' THEN unixepoch(\(column))
            WHEN 'null' THEN 0 ELSE CAST(\(column) AS INTEGER) / (CASE WHEN \(column) BETWEEN -99999999999 AND 99999999999 THEN 1 ELSE 1000 END)
            END, 0)
            """
    }
}

/// The form in which a table's dates are written: new rows get the form of the latest one.
enum DateStyle: Sendable {
    /// `YYYY-MM-DD HH:MM:SS`
    case spaced
    /// `YYYY-MM-DDTHH:MM:SS.000Z`
    case iso8601

    /// The form of a table's latest row; spaced when it has none.
    static func of(_ columns: TableColumns, _ column: String, in database: Database) throws -> DateStyle {
        guard columns.names.contains(column) else { return .spaced }
        let latest = try Scalar.text(
            database,
            sql: """
                SELECT \(column) FROM \(columns.table) WHERE rowid = (SELECT max(rowid) FROM \(columns.table))
                AND typeof(\(column)) = 'text'
                """)
        return latest?.contains("T") == true ? .iso8601 : .spaced
    }

    /// A date in this form.
    func text(_ unixSeconds: Int64) -> String {
        let plain = Timestamp.text(unixSeconds)
        return self == .spaced ? plain : plain.replacing(" ", with: "T") + ".000Z"
    }

    /// Now, in this form.
    var now: String { text(Int64(Date.now.timeIntervalSince1970)) }
}
