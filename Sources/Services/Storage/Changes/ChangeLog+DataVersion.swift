import GRDB

extension ChangeLog {
    /// A number that changes with every commit to the file, by this process or another. Comparable within this process
    /// only.
    ///
    /// - Throws: ``StorageError``.
    package func dataVersion() async throws -> Int64 {
        // SQLite counts the commits of other connections than the one that asks: this one never writes.
        try await database.readKeys { try Scalar.integer($0, sql: "PRAGMA data_version") ?? 0 }
    }
}
