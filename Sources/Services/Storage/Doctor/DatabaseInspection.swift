import Foundation
import GRDB
import GatewayAPI
import Machine

/// The results of SQLite's checks of a database file, which change nothing.
package struct DatabaseInspection: Sendable, Hashable {
    /// Findings of `PRAGMA integrity_check`; empty when the file is intact.
    package var damage: [String] = []
    /// Number of rows with a dangling reference, by table. The gateway does not enforce references; another program
    /// may.
    package var brokenReferences: [String: Int] = [:]
    /// The version of the gateway that wrote last; nil when none did, or a version before 0.2.
    package var writtenBy: String?
    /// The latest time stored by the gateway, in seconds since 1970; nil when there is none.
    package var latestTime: Int64?
    /// Size of the main file in bytes.
    package var bytes = 0

    /// The maximum number of dangling references to count.
    private static let maxReferences = 10_000

    /// Inspects a file; takes about a second per GB.
    ///
    /// - Throws: ``StorageError``: `notFound`, `corrupt` for a file that is not a database, `newerVersion`, `busy`;
    ///   `CancellationError`.
    package static func of(_ path: String) async throws -> DatabaseInspection {
        try await CopyWork.run { work in
            try DatabaseFile.checkHeader(path)
            return try work.with(path, isReadOnly: true) { queue in
                var found = DatabaseInspection()
                found.bytes = try PrivateFile.size(path)
                try queue.read { database in
                    found.damage = try DatabaseFile.damage(database, limit: 20)
                    guard found.damage.isEmpty else { return }
                    try WriterVersion.check(database, path: path)
                    found.writtenBy = try WriterVersion.last(database)
                    found.brokenReferences = try references(database)
                    found.latestTime = try latestTime(database)
                }
                return found
            }
        }
    }

    private static func references(_ database: Database) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        var total = 0
        let rows: RowCursor
        do {
            rows = try Row.fetchCursor(database, sql: "PRAGMA foreign_key_check")
            while total < maxReferences, let row = try rows.next() {
                counts[row.text(0) ?? "?", default: 0] += 1
                total += 1
            }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // A reference names a missing table or column; SQLite then checks no reference.
            counts[error.message ?? "a reference cannot be checked"] = 1
        }
        return counts
    }

    private static func latestTime(_ database: Database) throws -> Int64? {
        var latest: Int64?
        for (table, column) in [
            ("gateway_keys", "last_used_at"), ("gateway_keys", "created_at"), ("gateway_jobs", "created_at"),
            ("gateway_spaces", "created_at"),
        ] where try database.tableExists(table) {
            let text = try Scalar.text(database, sql: "SELECT max(\(column)) FROM \(table)")
            if let seconds = text.flatMap({ Timestamp.unixSeconds($0) }) {
                latest = max(latest ?? seconds, seconds)
            }
        }
        return latest
    }
}
