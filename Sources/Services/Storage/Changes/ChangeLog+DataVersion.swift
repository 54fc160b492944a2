import GRDB

extension ChangeLog {
    /// Returns a number that changes with every commit to the file, by this process or another. Compare it within this
    /// process only.
    ///
    /// - Throws: ``StorageError``.
    package func dataVersion() async throws -> Int64 {
        // SQLite counts the commits of other connections only; the keys' connection never writes.
        try await database.readKeys { try Scalar.integer($0, sql: "PRAGMA data_version") ?? 0 }
    }
}
