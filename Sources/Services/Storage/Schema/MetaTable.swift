import GRDB

/// Reads and writes single values by key: the table `gateway_meta`.
enum MetaTable {
    /// Returns the value of a key; nil when there is none.
    static func text(_ key: String, in database: Database) throws -> String? {
        try Scalar.text(database, sql: "SELECT value FROM gateway_meta WHERE key = ?", arguments: [key])
    }

    /// Stores the value of a key, replacing the old one.
    static func set(_ key: String, _ value: String, in database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO gateway_meta (key, value) VALUES (?, ?)", arguments: [key, value])
    }
}
