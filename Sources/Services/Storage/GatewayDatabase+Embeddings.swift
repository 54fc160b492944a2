import Foundation
import GRDB

extension GatewayDatabase {
    /// The row of a space, made when it does not exist.
    public func ensureSpace(_ space: EmbeddingSpace) async throws -> StoredSpace {
        try await writeRelaxed { database in
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

    /// The space that answers queries; nil before the first backfill.
    public func activeSpace() async throws -> StoredSpace? {
        try await read { try Self.activeSpace($0) }
    }

    /// How many notes have vectors in a space, however many passages they have.
    public func embeddingCount(in space: SpaceID) async throws -> Int {
        try await read { database in
            try Scalar.count(
                database, sql: "SELECT count(*) FROM gateway_embeddings WHERE space_id = ?", arguments: [space]) ?? 0
        }
    }

    /// Stores notes' vectors in one transaction, in place of those that they had. A note that was deleted meanwhile is
    /// passed over; one that was edited meanwhile gets its vectors and is pending again, because the hash tells what
    /// was embedded.
    ///
    /// - Throws: ``StorageError``; ``StorageError/Code/invalid`` when a note has no vector, or one of another length
    ///   than the space, and then nothing is stored.
    public func storeEmbeddings(_ rows: [EmbeddingRow], in space: StoredSpace) async throws {
        for row in rows { try Self.check(row, dimensions: space.space.dimensions) }
        try await writeRelaxed { database in
            let writer = try EmbeddingWriter(database: database, space: space)
            for row in rows { try writer.store(row) }
        }
    }

    static func check(_ row: EmbeddingRow, dimensions: Int) throws {
        guard row.passages >= 1 else {
            throw StorageError(.invalid, "note \(row.noteID) has no vector to be stored")
        }
        let (needed, overflow) = row.passages.multipliedReportingOverflow(by: dimensions)
        guard !overflow, row.vectors.count == needed else {
            let found =
                row.passages == 1
                ? "the vector of note \(row.noteID) has \(row.vectors.count) dimensions"
                : "the \(row.passages) vectors of note \(row.noteID) have \(row.vectors.count) numbers"
            throw StorageError(.invalid, "\(found), its space has \(dimensions) dimensions")
        }
    }

    /// Notes after `noteID`, by id, whose vectors in a space are missing or were made of another text.
    public func pendingNotes(in space: SpaceID, after noteID: Int64, limit: Int) async throws -> [PendingNote] {
        try await read { database, layout in
            let columns = layout.columns
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT n.id, \(columns.boundedRaw("title")), \(columns.boundedRaw("content")), \(columns.hash)
                    \(columns.pending)
                    AND n.id > ?2 ORDER BY n.id LIMIT ?3
                    """, arguments: [space, noteID, limit]
            ).compactMap { row in
                guard let id = row.integer(0), let hash = row.bytes(3) else { return nil }
                return PendingNote(
                    id: id, title: row.text(1) ?? "", content: row.text(2) ?? "", contentHash: Array(hash))
            }
        }
    }

    /// How many notes are pending in a space. Hashes every note that has a vector: about 3 ms for 1,000 notes.
    public func pendingCount(in space: SpaceID) async throws -> Int {
        try await read { database, layout in
            try Scalar.count(
                database, sql: "SELECT count(*) \(layout.columns.pending)", arguments: [space]) ?? 0
        }
    }

    static func activeSpace(_ database: Database) throws -> StoredSpace? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT s.* FROM gateway_meta m JOIN gateway_spaces s ON s.id = CAST(m.value AS INTEGER)
                WHERE m.key = 'active_space'
                """
        ).flatMap(StoredSpace.init)
    }
}

/// Writes the vectors of notes within a transaction.
struct EmbeddingWriter {
    private let space: SpaceID
    private let dimensions: Int
    private let now = Timestamp.now
    private let first: Statement
    private let later: Statement
    private let removal: Statement

    init(database: Database, space: StoredSpace) throws {
        self.space = space.id
        dimensions = space.space.dimensions
        first = try database.cachedStatement(
            sql: """
                INSERT INTO gateway_embeddings (space_id, note_id, content_hash, vector, passages, created_at)
                SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM raw_notes WHERE id = ?2)
                ON CONFLICT (space_id, note_id) DO UPDATE SET content_hash = excluded.content_hash,
                vector = excluded.vector, passages = excluded.passages, created_at = excluded.created_at
                """)
        later = try database.cachedStatement(
            sql: """
                INSERT INTO gateway_passages (space_id, note_id, passage, vector)
                SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM raw_notes WHERE id = ?2)
                """)
        removal = try database.cachedStatement(
            sql: "DELETE FROM gateway_passages WHERE space_id = ? AND note_id = ?")
    }

    /// Stores a note's vectors; their number was checked.
    func store(_ row: EmbeddingRow) throws {
        try removal.execute(arguments: [space, row.noteID])
        try first.execute(arguments: [
            space, row.noteID, Data(row.contentHash), VectorBlob.encode(row.vectors.prefix(dimensions)), row.passages,
            now,
        ])
        for passage in stride(from: 1, to: row.passages, by: 1) {
            let vector = row.vectors[passage * dimensions..<(passage + 1) * dimensions]
            try later.execute(arguments: [space, row.noteID, passage, VectorBlob.encode(vector)])
        }
    }
}
