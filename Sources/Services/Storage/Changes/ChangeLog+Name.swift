import GRDB

extension ChangeLog {
    /// Names this database and the end of its change log at a place, so that a file that was derived from it can tell
    /// whether it still belongs to it: a database that was put in this one's place, or an older copy of it that has gone
    /// another way since, has another name.
    public func name(at cursor: ChangeCursor) async throws -> String {
        let identity = try await identity()
        let tail = try await database.read { database in
            try Scalar.integers(
                database, sql: "SELECT note_id FROM gateway_changes WHERE seq <= ? ORDER BY seq DESC LIMIT 64",
                arguments: [cursor.sequence])
        }
        // FNV-1a over the notes that changed last.
        let hash = tail.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64(bitPattern: $1)) &* 0x100_0000_01B3 }
        return identity + "-" + String(hash, radix: 16)
    }

    /// A random name that the database got when it was first asked for one.
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
