import Foundation
import GRDB

/// How an embedding space stands.
public struct SpaceStatus: Sendable, Hashable {
    /// The space.
    public var stored: StoredSpace
    /// Whether queries are answered from it.
    public var isActive: Bool
    /// Whether it answered before the active one did.
    public var isPrevious: Bool
    /// Whether notes that are written are enqueued for it.
    public var isFilled: Bool
    /// When it first answered queries, `YYYY-MM-DD HH:MM:SS` in UTC; nil when it never did.
    public var activatedAt: String?
    /// When it was made, in the same form.
    public var createdAt: String
    /// Notes with vectors, those of an older text included.
    public var embedded: Int
    /// Notes that it lacks; exact while it is filled.
    public var queue: QueueCounts
}

/// What became of a wish to answer from another space.
public enum SpaceSwitch: Sendable, Hashable {
    /// Queries are answered from the space now.
    case switched
    /// They were already.
    case active
    /// The space has vectors of too few notes.
    case incomplete(missing: Int, notes: Int)
    /// The space answered before and was switched away from: that is undone by a person only.
    case leftBefore
}

extension GatewayDatabase {
    /// All spaces, the oldest first.
    public func spaces() async throws -> [SpaceStatus] {
        try await read { database in
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
                    embedded: embedded ?? 0, queue: try Self.queueCounts(database, stored.id))
            }
        }
    }

    /// The space of a model, a digest, prefixes and a chunker; nil when it was never filled.
    public func space(
        model: String, digest: String, queryPrefix: String, documentPrefix: String, chunkerVersion: Int
    ) async throws -> StoredSpace? {
        try await read { database in
            try Row.fetchOne(
                database,
                sql: """
                    SELECT * FROM gateway_spaces WHERE model = ? AND digest = ? AND query_prefix = ?
                    AND document_prefix = ? AND chunker_version = ? ORDER BY id DESC
                    """, arguments: [model, digest, queryPrefix, documentPrefix, chunkerVersion]
            ).flatMap(StoredSpace.init)
        }
    }

    /// Answers queries from a space from now on, in this process and in others: all at once, in one transaction.
    ///
    /// The notes that the space lacks are counted in its queue; reconcile it first. The space before stays as it is, and
    /// is no longer filled.
    /// - Parameters:
    ///   - least: The share of the notes, 0 to 1, that must have vectors.
    ///   - isAutomatic: Whether nobody asked for it: then a space that answered before is left alone.
    public func switchSpace(to id: SpaceID, atLeast least: Double, isAutomatic: Bool) async throws -> SpaceSwitch {
        try await write { database, layout in
            let shown = layout.columns.isShown
            guard
                let row = try Row.fetchOne(database, sql: "SELECT * FROM gateway_spaces WHERE id = ?", arguments: [id])
            else { throw StorageError(.notFound, "there is no embedding space \(id)") }
            let active = try Self.space("active_space", database)
            if active == id { return .active }
            if isAutomatic, row.hasValue("activated_at") { return .leftBefore }
            let notes = try Scalar.count(database, sql: "SELECT count(*) FROM raw_notes n WHERE \(shown)") ?? 0
            let missing = try Self.queueCounts(database, id).all
            guard missing == 0 || Double(notes - missing) >= least * Double(notes) else {
                return .incomplete(missing: missing, notes: notes)
            }
            try Self.activate(id, database)
            return .switched
        }
    }

    /// Makes a space the one that answers queries, complete or not, in this process and in others.
    public func activate(_ id: SpaceID) async throws { try await write { try Self.activate(id, $0) } }

    /// Answers from the space that did before the active one.
    ///
    /// - Returns: That space.
    /// - Throws: ``StorageError/Code/notFound`` when there is none.
    public func rollBackSpace() async throws -> StoredSpace {
        try await write { database in
            guard let previous = try Self.space("previous_space", database),
                let row = try Row.fetchOne(
                    database, sql: "SELECT * FROM gateway_spaces WHERE id = ?", arguments: [previous]),
                let stored = StoredSpace(row)
            else { throw StorageError(.notFound, "there is no embedding space to go back to") }
            try Self.activate(previous, database)
            return stored
        }
    }

    /// Removes a space with its vectors, in small transactions. One that was stopped halfway is done again.
    ///
    /// - Throws: ``StorageError``; ``StorageError/Code/conflict`` for the active space.
    public func dropSpace(_ id: SpaceID) async throws {
        try await write { database in
            guard try Self.space("active_space", database) != id else {
                throw StorageError(.conflict, "space \(id) answers queries; switch to another one first")
            }
            try database.execute(sql: "UPDATE gateway_spaces SET is_filled = 0 WHERE id = ?", arguments: [id])
            guard database.changesCount > 0 else {
                throw StorageError(.notFound, "there is no embedding space \(id)")
            }
            try database.execute(sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ?", arguments: [id])
            try database.execute(
                sql: "DELETE FROM gateway_meta WHERE key = 'previous_space' AND value = ?", arguments: [String(id)])
        }
        var hasMore = true
        while hasMore {
            try Task.checkCancellation()
            hasMore = try await writeRelaxed { database in
                try database.execute(
                    sql: """
                        DELETE FROM gateway_embeddings WHERE space_id = ?1 AND note_id IN
                        (SELECT note_id FROM gateway_embeddings WHERE space_id = ?1 LIMIT 1000)
                        """, arguments: [id])
                return database.changesCount > 0
            }
        }
        try await write { try $0.execute(sql: "DELETE FROM gateway_spaces WHERE id = ?", arguments: [id]) }
    }

    /// Copies vectors into a space from another one of the same model which cuts long notes differently: those of notes
    /// that both embed whole, and whose text is unchanged.
    ///
    /// - Parameter maxBytes: UTF-8 bytes of content of a note that either space embeds whole.
    /// - Returns: How many notes' vectors were copied.
    public func copyWholeNotes(into space: StoredSpace, maxBytes: Int) async throws -> Int {
        let identity = space.space
        let sources = try await read { database in
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
                let (last, added) = try await writeRelaxed { database, layout in
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

    /// How fast a model embedded lately, in bytes of text a second; nil when nothing was measured.
    public func measuredRate(of model: String) async throws -> Double? {
        try await read { database in
            try Scalar.text(
                database, sql: "SELECT value FROM gateway_meta WHERE key = ?", arguments: ["rate:" + model]
            ).flatMap(Double.init)
        }
    }

    /// Keeps how fast a model embeds, in bytes of text a second.
    public func keepRate(_ bytesPerSecond: Double, of model: String) async throws {
        guard bytesPerSecond.isFinite, bytesPerSecond > 0 else { return }
        try await writeRelaxed { try Self.setMeta("rate:" + model, String(bytesPerSecond.rounded()), $0) }
    }

    private static func space(_ key: String, _ database: Database) throws -> SpaceID? {
        try Scalar.text(database, sql: "SELECT value FROM gateway_meta WHERE key = ?", arguments: [key])
            .flatMap(SpaceID.init)
    }

    static func setMeta(_ key: String, _ value: String, _ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO gateway_meta (key, value) VALUES (?, ?)", arguments: [key, value])
    }

    private static func activate(_ id: SpaceID, _ database: Database) throws {
        let active = try space("active_space", database)
        if let active, active != id {
            try setMeta("previous_space", String(active), database)
            try database.execute(
                sql: "UPDATE gateway_spaces SET is_filled = 0, left_at = ? WHERE id = ?",
                arguments: [Timestamp.now, active])
            try database.execute(sql: "DELETE FROM gateway_embedding_queue WHERE space_id = ?", arguments: [active])
        }
        if active != id {
            // Followers may have an index of the space from when it answered before.
            try database.execute(
                sql: """
                    INSERT INTO gateway_changes (note_id) SELECT e.note_id
                    FROM gateway_embeddings e JOIN gateway_spaces s ON s.id = e.space_id
                    WHERE e.space_id = ? AND s.activated_at IS NOT NULL AND e.created_at >= coalesce(s.left_at, '')
                    """, arguments: [id])
        }
        try setMeta("active_space", String(id), database)
        try database.execute(
            sql: """
                UPDATE gateway_spaces SET is_filled = 1, activated_at = coalesce(activated_at, ?) WHERE id = ?
                """, arguments: [Timestamp.now, id])
    }
}

extension StoredSpace {
    /// The space of a row; nil when the row cannot be one.
    init?(_ row: Row) {
        guard let id = row.integer("id"), let model = row.text("model"), (1...1 << 20).contains(row.count("dimensions"))
        else { return nil }
        self.init(
            id: id,
            space: EmbeddingSpace(
                model: model, digest: row.text("digest") ?? "", dimensions: row.count("dimensions"),
                queryPrefix: row.text("query_prefix") ?? "", documentPrefix: row.text("document_prefix") ?? "",
                chunkerVersion: row.count("chunker_version")))
    }
}
