import Foundation
import GRDB
import GatewayAPI

/// The columns of a table in this file. Some files name the same column differently.
struct TableColumns: Sendable {
    let table: String
    /// The columns' names in lower case; empty when the file has no such table.
    let names: Set<String>
    /// The columns declared NOT NULL, in lower case.
    let required: Set<String>

    /// Whether the column `id` is the integer primary key, so that it holds integers only.
    let hasRowID: Bool
    /// Whether the table can have triggers: it exists, and is neither a view nor virtual.
    let takesTriggers: Bool

    /// Queries SQLite directly, since GRDB's schema cache may be older than this snapshot.
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

    /// Returns the condition that the column `id` holds an integer; `1` where it always does.
    func hasNumber(_ alias: String) -> String { hasRowID ? "1" : "typeof(\(alias).id) = 'integer'" }

    /// Returns SQL for the first candidate that the table has, NULL for values of more than `limit` bytes.
    func bounded(_ alias: String, _ candidates: String..., limit: Int = ValueLimit.field) -> String {
        ValueLimit.bounded(candidates.first(where: names.contains).map { "\(alias).\($0)" } ?? "NULL", limit)
    }

    /// Returns the first candidate that the table has.
    func name(_ candidates: String...) -> String? { candidates.first(where: names.contains) }

    /// Returns `alias.column` for the first candidate that the table has, or NULL.
    func value(_ alias: String, _ candidates: String...) -> String {
        candidates.first(where: names.contains).map { "\(alias).\($0)" } ?? "NULL"
    }
}

/// SQL for columns that hold dates in several formats.
enum SQLTime {
    /// Returns SQL for seconds since 1970; 0 for unreadable values. Numbers are seconds, or milliseconds above
    /// 99,999,999,999.
    static func seconds(_ column: String) -> String {
        guard column != "NULL" else { return "0" }
        return """
            coalesce(CASE typeof(\(column)) WHEN 'text' THEN unixepoch(\(column))
            WHEN 'null' THEN 0 ELSE CAST(\(column) AS INTEGER) / (CASE WHEN \(column) BETWEEN -99999999999 AND 99999999999 THEN 1 ELSE 1000 END)
            END, 0)
            """
    }
}

/// The date format of a table: new rows get the format of the latest row.
enum DateStyle: Sendable {
    /// `YYYY-MM-DD HH:MM:SS`
    case spaced
    /// `YYYY-MM-DDTHH:MM:SS.000Z`
    case iso8601

    /// Returns the format of a table's latest row; spaced when the table is empty.
    static func of(_ columns: TableColumns, _ column: String, in database: Database) throws -> DateStyle {
        guard columns.names.contains(column) else { return .spaced }
        let latest = try database.compiledRow(
            """
            SELECT \(column) FROM \(columns.table) WHERE rowid = (SELECT max(rowid) FROM \(columns.table))
            AND typeof(\(column)) = 'text'
            """)?.text(0)
        return latest?.contains("T") == true ? .iso8601 : .spaced
    }

    /// Formats a date.
    func text(_ unixSeconds: Int64) -> String {
        let plain = Timestamp.text(unixSeconds)
        return self == .spaced ? plain : plain.replacing(" ", with: "T") + ".000Z"
    }

    /// The current time in this format.
    var now: String { text(Int64(Date.now.timeIntervalSince1970)) }
}
