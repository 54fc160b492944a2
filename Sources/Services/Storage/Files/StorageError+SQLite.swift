import GRDB

extension StorageError {
    /// Translates an SQLite error.
    init(_ error: DatabaseError, path: String) {
        let detail = error.message ?? "SQLite error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_CANTOPEN: self.init(.cannotOpen, "cannot open the database \(path): \(detail)")
        case .SQLITE_NOTADB: self.init(.corrupt, "\(path) is not an SQLite database")
        case .SQLITE_CORRUPT: self.init(.corrupt, "the database \(path) is damaged: \(detail)")
        case .SQLITE_FULL: self.init(.diskFull, "the disk is full; nothing was written to \(path)")
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.busy, "the database \(path) is locked by another process")
        case .SQLITE_READONLY, .SQLITE_PERM: self.init(.readOnly, "the database \(path) cannot be written")
        case .SQLITE_CONSTRAINT: self.init(.conflict, "the database refused a row: \(detail)")
        case .SQLITE_SCHEMA: self.init(.schema, "the tables of \(path) are being changed: \(detail)")
        case .SQLITE_ERROR where detail.hasPrefix("no such table") || detail.hasPrefix("no such column"):
            self.init(
                .schema, "the tables of \(path) are being changed, or are not those of a notes database: \(detail)")
        default: self.init(.failed, "the database \(path) failed: \(detail)")
        }
    }
}
