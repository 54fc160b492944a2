import Foundation
import GRDB

/// Checks a database file without opening it as the gateway's and without writing.
enum DatabaseFile {
    /// The first 16 bytes of every SQLite file.
    private static let header = Array("SQLite format 3\0".utf8)

    /// Checks that a path names an SQLite file.
    ///
    /// - Throws: ``StorageError``: `notFound`, `invalid` for a folder, `cannotOpen`, or `corrupt` when it is not an
    ///   SQLite file.
    static func checkHeader(_ path: String) throws(StorageError) {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw StorageError(.notFound, "there is no file \(path)")
        }
        guard !isFolder.boolValue else {
            throw StorageError(.invalid, "\(path) is a folder; the path of a database file is expected")
        }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw StorageError(.cannotOpen, "cannot read \(path)")
        }
        defer { try? file.close() }
        guard let start = try? file.read(upToCount: header.count), Array(start) == header else {
            throw StorageError(.corrupt, "\(path) is not an SQLite database")
        }
    }

    /// Returns the findings of `PRAGMA integrity_check`, at most `limit`; empty when the file is intact.
    static func damage(_ database: Database, limit: Int = 5) throws -> [String] {
        do {
            return try Scalar.texts(database, sql: "PRAGMA integrity_check(\(limit))").filter { $0 != "ok" }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            return [error.message ?? "the file is damaged"]
        }
    }

    /// Checks that a database is intact and that this version can use its notes.
    ///
    /// - Throws: ``StorageError``: `corrupt`, `newerVersion`, or `invalid` without a table of notes.
    static func checkNotes(_ queue: DatabaseQueue, path: String) throws {
        try queue.read { database in
            try WriterVersion.check(database, path: path)
            let columns = try TableColumns(database, "raw_notes").names
            guard columns.isSuperset(of: ["id", "title", "content"]) else {
                throw StorageError(
                    .invalid, "\(path) is an SQLite database but holds no notes: it has no table raw_notes")
            }
            let damage = try damage(database)
            guard damage.isEmpty else {
                throw StorageError(.corrupt, "\(path) is damaged: \(damage.joined(separator: "; "))")
            }
        }
    }
}
