import GRDB

extension ChangeLog {
    /// Returns a name for this database and its change log up to a cursor. A file derived from the database uses it to
    /// check that it still belongs to the database. The name differs for a replaced database, and for an older copy
    /// that has diverged since.
    package func name(at cursor: ChangeCursor) async throws -> String {
        let identity = try await identity()
        let tail = try await database.read { database in
            try Scalar.integers(
                database, sql: "SELECT note_id FROM gateway_changes WHERE seq <= ? ORDER BY seq DESC LIMIT 64",
                arguments: [cursor.sequence])
        }
        return identity + "-" + tailHash(tail)
    }

    /// Returns the random name of the database; creates it on first use.
    ///
    /// - Throws: ``StorageError``, also when the name cannot be written.
    package func identity() async throws -> String {
        let known = try await database.read { database in
            try MetaTable.text("identity", in: database)
        }
        if let known { return known }
        let fresh = String(UInt64.random(in: 0 ... .max), radix: 16)
        return try await database.write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO gateway_meta (key, value) VALUES ('identity', ?)", arguments: [fresh])
            return try MetaTable.text("identity", in: database) ?? fresh
        }
    }
}
