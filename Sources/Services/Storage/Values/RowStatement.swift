import GRDB
import GRDBSQLite

/// A prepared statement that runs for many rows of a batch.
///
/// Binds values straight to SQLite: arguments and rows of GRDB cost some microseconds and several allocations each.
/// Use it only within the access to the database that created it. Binding throws `DatabaseError` for a value that is too large.
@safe struct RowStatement {
    /// Owns the statement.
    private let statement: Statement
    private let handle: OpaquePointer

    /// Prepares a statement, or takes it from the connection's cache.
    init(_ database: Database, _ sql: String) throws {
        statement = try database.cachedStatement(sql: sql)
        unsafe handle = statement.sqliteStatement
        // GRDB leaves a statement that it ran for its cache where it ended, and SQLite binds nothing to such a one.
        unsafe sqlite3_reset(handle)
    }

    /// Binds an integer, or NULL, to the parameter of this number, from 1.
    func bind(_ number: Int64?, at index: Int32) throws {
        if let number {
            try check(unsafe sqlite3_bind_int64(handle, index, number))
        } else {
            try check(unsafe sqlite3_bind_null(handle, index))
        }
    }

    /// Binds text, or NULL. Like GRDB, ends the text at its first NUL.
    func bind(_ text: String?, at index: Int32) throws {
        guard var text else { return try check(unsafe sqlite3_bind_null(handle, index)) }
        let code = text.withUTF8 { bytes in
            let end = unsafe bytes.firstIndex(of: 0) ?? bytes.count
            return unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                // Without an address SQLite would bind NULL.
                guard end > 0, let start = characters.baseAddress else {
                    return unsafe sqlite3_bind_text(handle, index, "", 0, Self.copied)
                }
                return unsafe sqlite3_bind_text64(
                    handle, index, start, UInt64(end), Self.copied, UInt8(SQLITE_UTF8))
            }
        }
        try check(code)
    }

    func bind(_ bytes: some Collection<UInt8>, at index: Int32) throws {
        let code =
            unsafe bytes.withContiguousStorageIfAvailable { unsafe bind(buffer: $0, at: index) }
            ?? Array(bytes).withUnsafeBufferPointer { unsafe bind(buffer: $0, at: index) }
        try check(code)
    }

    private func bind(buffer bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
        guard !bytes.isEmpty, let start = bytes.baseAddress else {
            return unsafe sqlite3_bind_zeroblob(handle, index, 0)
        }
        return unsafe sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.copied)
    }

    /// Runs the statement to its end.
    ///
    /// - Throws: `DatabaseError`.
    func run() throws {
        defer { unsafe sqlite3_reset(handle) }
        while try step() {}
    }

    /// Runs the statement up to its first row.
    ///
    /// - Returns: The row's first column as an integer, as ``GRDB/DatabaseValue/asInteger`` reads it; nil without a row.
    /// - Throws: `DatabaseError`.
    func integer() throws -> Int64? {
        defer { unsafe sqlite3_reset(handle) }
        guard try step() else { return nil }
        if unsafe sqlite3_column_type(handle, 0) == SQLITE_INTEGER { return unsafe sqlite3_column_int64(handle, 0) }
        return unsafe DatabaseValue(sqliteStatement: handle, index: 0).asInteger
    }

    /// Runs the statement up to its first row.
    ///
    /// - Returns: Whether there is a row.
    /// - Throws: `DatabaseError`.
    func hasRow() throws -> Bool {
        defer { unsafe sqlite3_reset(handle) }
        return try step()
    }

    /// Whether another row came.
    private func step() throws -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw failure(code)
        }
    }

    /// A value that could not be bound would be stored as NULL.
    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> DatabaseError {
        let message = unsafe sqlite3_errmsg(sqlite3_db_handle(handle)).map { unsafe String(cString: $0) }
        return DatabaseError(resultCode: ResultCode(rawValue: code), message: message, sql: statement.sql)
    }

    /// SQLite's mark of values that it copies before the call returns.
    private static var copied: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
