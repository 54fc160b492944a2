import GRDB
import GatewayAPI

/// Manages embedding spaces: which space answers queries, which are filled, and their vectors.
package struct SpaceStore: Sendable {
    let database: GatewayDatabase

    /// Returns the stored space; creates it when it does not exist.
    package func ensure(_ space: EmbeddingSpace) async throws -> StoredSpace {
        try await database.writeRelaxed { database in
            let identity: StatementArguments = [
                space.model, space.digest, space.dimensions, space.queryPrefix, space.documentPrefix,
                space.chunkerVersion,
            ]
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO gateway_spaces
                    (model, digest, dimensions, query_prefix, document_prefix, chunker_version, created_at)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """, arguments: identity + [Timestamp.now])
            let id = try Scalar.integer(
                database,
                sql: """
                    SELECT id FROM gateway_spaces WHERE model = ? AND digest = ? AND dimensions = ?
                    AND query_prefix = ? AND document_prefix = ? AND chunker_version = ?
                    """, arguments: identity)
            guard let id else { throw StorageError(.failed, "the embedding space could not be stored") }
            return StoredSpace(id: id, space: space)
        }
    }

    /// Returns the space that answers queries; nil before the first backfill.
    package func active() async throws -> StoredSpace? {
        try await database.read { try StoredSpace.active(in: $0) }
    }

    /// Counts the notes with vectors in a space, whatever their number of passages.
    package func embeddingCount(in space: SpaceID) async throws -> Int {
        try await database.read { database in
            try Scalar.count(
                database, sql: "SELECT count(*) FROM gateway_embeddings WHERE space_id = ?", arguments: [space]) ?? 0
        }
    }

    /// Returns all spaces, oldest first.
    package func all() async throws -> [SpaceStatus] {
        try await database.read { database in
            let active = try Self.space("active_space", database)
            let previous = try Self.space("previous_space", database)
            return try Row.fetchAll(database, sql: "SELECT * FROM gateway_spaces ORDER BY id").compactMap { row in
                guard let stored = StoredSpace(row) else { return nil }
                let embedded = try Scalar.count(
                    database, sql: "SELECT count(*) FROM gateway_embeddings WHERE space_id = ?",
                    arguments: [stored.id])
                return SpaceStatus(
                    stored: stored, isActive: stored.id == active, isPrevious: stored.id == previous,
                    isFilled: row.count("is_filled") != 0, activatedAt: row.text("activated_at"),
                    createdAt: row.text("created_at") ?? "",
                    embedded: embedded ?? 0, queue: try QueueStore.counts(database, stored.id))
            }
        }
    }

    /// Returns the space of a model, digest, prefixes and chunker; nil when there is none.
    package func find(
        model: String, digest: String, queryPrefix: String, documentPrefix: String, chunkerVersion: Int
    ) async throws -> StoredSpace? {
        try await database.read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT * FROM gateway_spaces WHERE model = ? AND digest = ? AND query_prefix = ?
                    AND document_prefix = ? AND chunker_version = ? ORDER BY id DESC
                    """, arguments: [model, digest, queryPrefix, documentPrefix, chunkerVersion]
            ).flatMap { StoredSpace($0) }
        }
    }

    /// Switches queries to a space, for all processes at once, in one transaction.
    ///
    /// The space's queue tells which notes lack vectors, so reconcile it first. The previous space keeps its vectors
    /// and is no longer filled.
    /// - Parameters:
    ///   - least: The minimum share of notes with vectors, 0 to 1.
    ///   - isAutomatic: Whether no user requested the switch; then a space that answered before is not activated.
    package func `switch`(to id: SpaceID, atLeast least: Double, isAutomatic: Bool) async throws -> SpaceSwitch {
        try await database.write { database, layout in
            let shown = layout.columns.isShown
            guard
                let row = try Row.fetchOne(database, sql: "SELECT * FROM gateway_spaces WHERE id = ?", arguments: [id])
            else { throw StorageError(.notFound, "there is no embedding space \(id)") }
            let active = try Self.space("active_space", database)
            if active == id { return .active }
            if isAutomatic, row.hasValue("activated_at") { return .leftBefore }
            let notes = try Scalar.count(database, sql: "SELECT count(*) FROM raw_notes n WHERE \(shown)") ?? 0
            let missing = try QueueStore.counts(database, id).all
            guard missing == 0 || Double(notes - missing) >= least * Double(notes) else {
                return .incomplete(missing: missing, notes: notes)
            }
            try Self.activate(id, database)
            return .switched
        }
    }

    /// Switches queries to a space, complete or not, for all processes.
    package func activate(_ id: SpaceID) async throws { try await database.write { try Self.activate(id, $0) } }

    /// Switches queries back to the previous space.
    ///
    /// - Returns: The space that is active now.
    /// - Throws: ``StorageError/Code/notFound`` when there is none.
    package func rollBack() async throws -> StoredSpace {
        try await database.write { database in
            guard let previous = try Self.space("previous_space", database),
                let row = try Row.fetchOne(
                    database, sql: "SELECT * FROM gateway_spaces WHERE id = ?", arguments: [previous]),
                let stored = StoredSpace(row)
            else { throw StorageError(.notFound, "there is no previous embedding space to switch back to") }
            try Self.activate(previous, database)
            return stored
        }
    }

    /// Removes a space with its vectors, in small transactions. Call again to finish an interrupted removal.
    ///
    /// - Throws: ``StorageError``; ``StorageError/Code/conflict`` for the active space.
    package func drop(_ id: SpaceID) async throws {
        try await database.write { database in
            guard try Self.space("active_space", database) != id else {
                throw StorageError(.conflict, "space \(id) answers queries; switch to another one first")
            }
            try database.execute(sql: "UPDATE gateway_spaces SET is_filled = 0 WHERE id = ?", arguments: [id])
            guard database.changesCount > 0 else {
                throw StorageError(.notFound, "there is no embedding space \(id)")
            }
            try database.execute(sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ?", arguments: [id])
            try Reconciliation.forget(database, id)
            try database.execute(
                sql: "DELETE FROM gateway_meta WHERE key = 'previous_space' AND value = ?", arguments: [String(id)])
        }
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            hasMore = try await database.writeRelaxed { database in
                try database.execute(
                    sql: """
                        DELETE FROM gateway_embeddings WHERE space_id = ?1 AND note_id IN
                        (SELECT note_id FROM gateway_embeddings WHERE space_id = ?1 LIMIT 1000)
                        """, arguments: [id])
                return database.changesCount > 0
            }
        }
        try await database.write { try $0.execute(sql: "DELETE FROM gateway_spaces WHERE id = ?", arguments: [id]) }
    }

    /// Copies vectors into a space from spaces that differ only in the chunker. Copies notes that both spaces embed
    /// whole and whose text is unchanged.
    ///
    /// - Parameter maxBytes: The maximum UTF-8 bytes of content of a note that both spaces embed whole.
    /// - Returns: The number of notes whose vectors were copied.
    package func copyWholeNotes(into space: StoredSpace, maxBytes: Int) async throws -> Int {
        let identity = space.space
        let sources = try await database.read { database in
            try Scalar.integers(
                database,
                sql: """
                    SELECT id FROM gateway_spaces WHERE model = ? AND digest = ? AND dimensions = ?
                    AND query_prefix = ? AND document_prefix = ? AND id <> ?
                    """,
                arguments: [
                    identity.model, identity.digest, identity.dimensions, identity.queryPrefix,
                    identity.documentPrefix, space.id,
                ])
        }
        var copied = 0
        for source in sources {
            var position: Int64 = -1
            while true {
                try Task.checkCancellation()
                let after = position
                let (last, added) = try await database.writeRelaxed { database, layout in
                    let columns = layout.columns
                    let last = try Scalar.integer(
                        database,
                        sql: """
                            SELECT max(note_id) FROM (SELECT note_id FROM gateway_embeddings
                            WHERE space_id = ? AND note_id > ? ORDER BY note_id LIMIT 1000)
                            """, arguments: [source, after])
                    guard let last else { return (nil as Int64?, 0) }
                    try database.execute(
                        sql: """
                            INSERT OR IGNORE INTO gateway_embeddings
                            (space_id, note_id, content_hash, vector, passages, created_at)
                            SELECT ?1, e.note_id, e.content_hash, e.vector, 1, ?2
                            FROM gateway_embeddings e JOIN raw_notes n ON n.id = e.note_id
                            WHERE e.space_id = ?3 AND e.note_id > ?4 AND e.note_id <= ?5 AND e.passages = 1
                            AND length(CAST(coalesce(\(columns.raw("content")), '') AS BLOB)) <= ?6
                            AND e.content_hash = \(columns.hash)
                            """, arguments: [space.id, Timestamp.now, source, after, last, maxBytes])
                    return (last, database.changesCount)
                }
                copied += added
                guard let last else { break }
                position = last
            }
        }
        return copied
    }

    /// Returns a model's last measured embedding speed, in bytes of text per second; nil when not measured.
    package func rate(of model: String) async throws -> Double? {
        try await database.read { database in
            try MetaTable.text("rate:" + model, in: database).flatMap(Double.init)
        }
    }

    /// Stores a model's embedding speed, in bytes of text per second. Ignores speeds that are not finite and positive.
    package func keepRate(_ bytesPerSecond: Double, of model: String) async throws {
        guard bytesPerSecond.isFinite, bytesPerSecond > 0 else { return }
        try await database.writeRelaxed { try MetaTable.set("rate:" + model, String(bytesPerSecond.rounded()), in: $0) }
    }

    private static func space(_ key: String, _ database: Database) throws -> SpaceID? {
        try MetaTable.text(key, in: database).flatMap(SpaceID.init)
    }

    private static func activate(_ id: SpaceID, _ database: Database) throws {
        let active = try space("active_space", database)
        if let active, active != id {
            try MetaTable.set("previous_space", String(active), in: database)
            try database.execute(
                sql: "UPDATE gateway_spaces SET is_filled = 0, left_at = ? WHERE id = ?",
                arguments: [Timestamp.now, active])
            try database.execute(sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ?", arguments: [active])
        }
        if active != id {
            // Followers may still have an index of the space from when it last answered.
            try database.execute(
                sql: """
                    INSERT INTO gateway_changes (note_id) SELECT e.note_id
                    FROM gateway_embeddings e JOIN gateway_spaces s ON s.id = e.space_id
                    WHERE e.space_id = ? AND s.activated_at IS NOT NULL AND e.created_at >= coalesce(s.left_at, '')
                    """, arguments: [id])
        }
        try MetaTable.set("active_space", String(id), in: database)
        try database.execute(
            sql: """
                UPDATE gateway_spaces SET is_filled = 1, activated_at = coalesce(activated_at, ?) WHERE id = ?
                """, arguments: [Timestamp.now, id])
    }
}
