import GRDB
package import GatewayAPI

/// The earlier versions of a file's notes.
package struct NoteHistoryStore: NoteHistory {
    let database: GatewayDatabase

    package func versions(of id: Int64) async throws -> [NoteVersion] {
        try await database.read { database in
            try NoteVersions.all(of: id, database).map { $0.version(hasText: false) }
        }
    }

    package func version(_ version: Int64, of id: Int64) async throws -> NoteVersion? {
        try await database.read { database in
            try NoteVersions.one(version, of: id, database)?.version(hasText: true)
        }
    }

    package func deletedNotes(after cursor: PageCursor?, limit: Int) async throws -> Page<NoteVersion> {
        try cursor?.check(numbers: 1)
        let oldest = Timestamp.milliseconds / 1000 - NoteHistoryLimits.deletedLifetime
        return try await database.read { database in
            let ids = try Scalar.integers(
                database,
                sql: """
                    SELECT id FROM gateway_note_versions v WHERE reason = 'deleted' AND id < ? AND replaced_at >= ?
                    AND NOT EXISTS (SELECT 1 FROM raw_notes n WHERE n.id = v.note_id)
                    AND NOT EXISTS (SELECT 1 FROM gateway_note_versions w WHERE w.note_id = v.note_id AND w.id > v.id)
                    ORDER BY id DESC LIMIT ?
                    """, arguments: [cursor?.numbers[0] ?? .max, oldest, Int64(limit) + 1])
            return try Page(
                ids.map { (key: $0, cursor: PageCursor($0)) }, limit: limit,
                bytes: { $0.title.utf8.count + ($0.start?.utf8.count ?? 0) },
                load: { try NoteVersions.find("id = ?", [$0], database).first?.version(hasText: false) })
        }
    }

    package func restore(_ id: Int64, version: Int64?, revision: String?) async throws -> Bool {
        let hashes = database.noteHashes
        hashes.prepare(database)
        return try await database.write { database, layout in
            let current = try NoteStore.load(database, layout.columns, [id]).first
            let all = try NoteVersions.all(of: id, database)
            guard var stored = version.map({ version in all.first { $0.id == version } }) ?? all.first else {
                if current != nil { try NoteRecord.checkRestore(id, version: version, isThere: true) }
                return false
            }
            try NoteRecord.checkRestore(id, version: version, isThere: current != nil)
            try current?.require(revision: revision)
            let versions = NoteVersions(database, layout)
            if let now = try versions.record(id) {
                // The files that the note has now follow it, not those of that time.
                stored.record.externalIDs = now.externalIDs
                if !now.isSameText(as: stored.record) { try versions.keep(now, .restored) }
            } else if let deletion = all.first(where: \.isDeletion) {
                // A note that is there has no deletion: what it had is the note again, or an earlier version.
                let sql =
                    deletion.id == stored.id
                    ? "DELETE FROM gateway_note_versions WHERE id = ?"
                    : "UPDATE gateway_note_versions SET reason = 'restored' WHERE id = ?"
                try database.execute(sql: sql, arguments: [deletion.id])
            }
            try versions.write(stored, hashes)
            return true
        }
    }

    package func eraseHistory(of id: Int64) async throws -> Int {
        let erased = try await database.write { database in
            // Freed pages are overwritten with zeros, also where SQLite was built without this default.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            try database.execute(sql: "DELETE FROM gateway_note_versions WHERE note_id = ?", arguments: [id])
            return database.changesCount
        }
        // Otherwise the erased text stays in the file until a later checkpoint.
        _ = try? await database.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        return erased
    }

    package func eraseExpired() async throws -> Int {
        try await database.write { try NoteVersions.eraseExpired($0) }
    }
}
