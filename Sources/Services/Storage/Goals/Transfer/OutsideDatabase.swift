import Foundation
import GRDB
import GRDBSQLite
import GoalRoom

/// A SQLite file from outside: opened so that nothing in it computes, and read within bounds.
///
/// Only stored columns of ordinary tables are read, so views, virtual tables and generated columns never run. A value has
/// ``maxValue`` bytes at most, all values together have as many bytes as the file, and all reading ends after ``maxTime``.
struct OutsideDatabase {
    /// Bytes of one value, and of one row.
    static let maxValue: Int32 = 1 << 20
    /// How long all reading may take.
    static let maxTime = Duration.seconds(20)

    /// What one file may still cost.
    private final class Budget {
        let deadline: ContinuousClock.Instant
        var rows: Int
        var values: Int
        var bytes: Int

        init(rows: Int, bytes: Int, time: Duration) {
            (self.rows, self.bytes, deadline) = (rows, bytes, .now + time)
            values = rows * 20
        }
    }

    private let database: Database
    private let budget: Budget

    /// Opens a file, runs `body` and closes the file.
    ///
    /// - Throws: ``StorageError/Code/invalid`` for a file that is no database, or needs more than `maxRows` rows or the
    ///   other bounds.
    static func read<Value>(
        _ path: String, maxRows: Int, time: Duration = maxTime, _ body: (OutsideDatabase) throws -> Value
    ) throws -> Value {
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        let budget = Budget(rows: maxRows, bytes: max(size, 1 << 20), time: time)
        var configuration = Configuration()
        configuration.readonly = true
        configuration.foreignKeysEnabled = false
        configuration.label = "selene-outside"
        configuration.prepareDatabase { database in
            guard let connection = unsafe database.sqliteConnection else { return }
            _ = unsafe sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, maxValue)
            _ = unsafe sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0)
            try database.execute(
                sql:
                    "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0"
            )
        }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let result = Result {
                try queue.read { database in
                    guard let connection = unsafe database.sqliteConnection else {
                        throw StorageError(.failed, "the file is not open")
                    }
                    let context = unsafe Unmanaged.passUnretained(budget).toOpaque()
                    unsafe sqlite3_progress_handler(
                        connection, 10_000,
                        { context in
                            guard let context = unsafe context else { return 0 }
                            let budget = unsafe Unmanaged<Budget>.fromOpaque(context).takeUnretainedValue()
                            return ContinuousClock.now > budget.deadline ? 1 : 0
                        }, context)
                    defer { unsafe sqlite3_progress_handler(connection, 0, nil, nil) }
                    return try body(OutsideDatabase(database: database, budget: budget))
                }
            }
            try queue.close()
            return try withExtendedLifetime(budget) { try result.get() }
        } catch let error as DatabaseError {
            throw StorageError(.invalid, Self.reason(error))
        }
    }

    private static func reason(_ error: DatabaseError) -> String {
        switch error.resultCode {
        case .SQLITE_INTERRUPT: "the file cannot be read within \(maxTime)"
        case .SQLITE_TOOBIG: "the file has a value of more than \(maxValue) bytes"
        default: "the file cannot be read as a database: \(error.message ?? "SQLite error")"
        }
    }

    /// The stored columns of an ordinary table, in the order of the file; empty for a view, a virtual table, or none.
    func columns(of table: String) throws -> [String] {
        guard try TableColumns(database, table).takesTriggers else { return [] }
        return try Scalar.texts(
            database, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", arguments: [table])
    }

    /// All rows of a table with its stored columns.
    ///
    /// - Throws: ``StorageError/Code/invalid`` when the rows are too many, too large, or take too long.
    func rows(of table: String) throws -> [Row] {
        let columns = try columns(of: table)
        guard !columns.isEmpty else { return [] }
        var rows: [Row] = []
        let cursor = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(columns.map(\.quotedDatabaseIdentifier).joined(separator: ", "))
                FROM \(table.quotedDatabaseIdentifier)
                """)
        while let row = try cursor.next() {
            budget.rows -= 1
            budget.values -= columns.count
            for value in row.databaseValues {
                switch value.storage {
                case .string(let text): budget.bytes -= text.utf8.count
                case .blob(let data): budget.bytes -= data.count
                default: break
                }
            }
            guard budget.rows >= 0, budget.values >= 0 else {
                throw StorageError(.invalid, GoalTransferStore.tooManyRows)
            }
            guard budget.bytes >= 0 else {
                throw StorageError(.invalid, "the rows of the file are larger than the file: it is damaged")
            }
            guard ContinuousClock.now <= budget.deadline else {
                throw StorageError(.invalid, "the file cannot be read within \(Self.maxTime)")
            }
            rows.append(row.copy())
        }
        return rows
    }
}
