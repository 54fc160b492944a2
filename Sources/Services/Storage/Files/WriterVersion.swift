import GRDB
import GatewayAPI

/// The version of the gateway that last wrote a database. An older version names it in its error.
enum WriterVersion {
    private static let key = "written_by"

    /// Whether a database has migrations unknown to this version.
    static func isSuperseded(_ database: Database) throws -> Bool {
        guard try database.tableExists("grdb_migrations") else { return false }
        let known = Set(Migrations.migrator.migrations)
        // Another program may keep its migrations in the same table.
        let applied = try Scalar.texts(
            database, sql: "SELECT identifier FROM grdb_migrations WHERE identifier LIKE 'gateway-%'")
        return applied.contains { !known.contains($0) }
    }

    /// Rejects a database with migrations unknown to this version, which could misread the changed tables.
    ///
    /// - Throws: ``StorageError/Code/newerVersion``.
    static func check(_ database: Database, path: String) throws {
        guard try isSuperseded(database) else { return }
        let writer = try last(database).map { "selene \($0)" } ?? "a newer version of selene"
        throw StorageError(
            .newerVersion,
            "the database \(path) was written by \(writer); this is selene \(GatewayVersion.current), which cannot use "
                + "it. Install the newer version, or restore a backup that this version made")
    }

    /// Returns the version that wrote last; nil for a version that did not record itself.
    static func last(_ database: Database) throws -> String? {
        guard try database.tableExists("gateway_meta") else { return nil }
        return try Scalar.text(
            database, sql: "SELECT value FROM gateway_meta WHERE key = ? AND typeof(value) = 'text'", arguments: [key])
    }

    /// Records this version, unless it is recorded already.
    static func record(_ pool: DatabasePool) throws {
        if try pool.read(last) == GatewayVersion.current { return }
        try pool.write { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO gateway_meta (key, value) VALUES (?, ?)",
                arguments: [key, GatewayVersion.current])
        }
    }
}
