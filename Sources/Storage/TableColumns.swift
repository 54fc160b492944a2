import Foundation
import GRDB

/// Which columns a table has in this file. The same column has other names in some files.
struct TableColumns: Sendable {
    let table: String
    /// In lower case; empty when the file has no such table.
    let names: Set<String>
    /// Those that refuse NULL.
    let required: Set<String>

    init(_ database: Database, _ table: String) throws {
        self.table = table
        guard try database.tableExists(table) else {
            names = []
            required = []
            return
        }
        let columns = try database.columns(in: table)
        names = Set(columns.map { $0.name.lowercased() })
        required = Set(columns.filter(\.isNotNull).map { $0.name.lowercased() })
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

/// Values as they are found: another program may have left anything in a column, and that must not end this one.
extension Row {
    /// Text; numbers as text.
    func text(_ column: String) -> String? { Self.text(self[column]) }

    /// Text; numbers as text.
    func text(_ index: Int) -> String? { Self.text(self[index]) }

    /// A date as text: numbers are seconds or milliseconds since 1970.
    func date(_ column: String) -> String? { Self.date(self[column]) }

    /// A date as text: numbers are seconds or milliseconds since 1970.
    func date(_ index: Int) -> String? { Self.date(self[index]) }

    /// A finite number.
    func real(_ column: String) -> Double? {
        let value: DatabaseValue = self[column]
        let number = Double.fromDatabaseValue(value) ?? String.fromDatabaseValue(value).flatMap { Double($0) }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// A whole number.
    func integer(_ column: String) -> Int64? {
        let value: DatabaseValue = self[column]
        return Int64.fromDatabaseValue(value) ?? String.fromDatabaseValue(value).flatMap { Int64($0) }
    }

    /// Bytes; text as its UTF-8.
    func bytes(_ column: String) -> Data? { Data.fromDatabaseValue(self[column]) }

    private static func text(_ value: DatabaseValue) -> String? {
        switch value.storage {
        case .null: nil
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let data): String(decoding: data, as: UTF8.self)
        }
    }

    private static func date(_ value: DatabaseValue) -> String? {
        let number: Double? =
            switch value.storage {
            case .int64(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        guard let number, number.isFinite else { return text(value) }
        let seconds = abs(number) > 99_999_999_999 ? number / 1000 : number
        guard abs(seconds) < 200_000_000_000 else { return text(value) }
        return Timestamp.text(Int64(seconds))
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
        let latest = try String.fetchOne(
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
