import Database
import GRDBSQLite

extension SQLCell {
    /// Reads a column of a statement's current row. GRDB would end a text at its first zero byte, and what is behind it would
    /// be lost without a word.
    init(_ statement: OpaquePointer, column: Int32) {
        func bytes(_ start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
            unsafe UnsafeRawBufferPointer(
                start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column)))
        }
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: self = unsafe .integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: self = unsafe .real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT:
            let text = unsafe UnsafeRawPointer(sqlite3_column_text(statement, column))
            self = unsafe .text(String(decoding: bytes(text), as: UTF8.self))
        case SQLITE_BLOB: self = unsafe .bytes(Array(bytes(sqlite3_column_blob(statement, column))))
        default: self = .null
        }
    }
}
