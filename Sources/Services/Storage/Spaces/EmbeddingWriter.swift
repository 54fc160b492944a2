import Foundation
import GRDB

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

    /// Stores a note's vectors, replacing its old ones; call ``check(_:dimensions:)`` first. Skips a deleted note. A
    /// note edited meanwhile is pending again, since the hash identifies the embedded text.
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

    /// Checks that a note has at least one vector and that all have the space's dimensions.
    ///
    /// - Throws: ``StorageError/Code/invalid``.
    static func check(_ row: EmbeddingRow, dimensions: Int) throws(StorageError) {
        guard row.passages >= 1 else {
            throw StorageError(.invalid, "note \(row.noteID) has no vector to store")
        }
        let (needed, overflow) = row.passages.multipliedReportingOverflow(by: dimensions)
        guard !overflow, row.vectors.count == needed else {
            let found =
                row.passages == 1
                ? "the vector of note \(row.noteID) has \(row.vectors.count) dimensions"
                : "the \(row.passages) vectors of note \(row.noteID) have \(row.vectors.count) numbers"
            throw StorageError(.invalid, "\(found), but its space has \(dimensions) dimensions")
        }
    }
}
