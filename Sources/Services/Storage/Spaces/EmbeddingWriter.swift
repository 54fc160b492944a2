import Foundation
import GRDB
import GatewayAPI

/// Writes the vectors of notes within a transaction.
struct EmbeddingWriter {
    private let space: SpaceID
    private let dimensions: Int
    private let now = Timestamp.now
    private let first: RowStatement
    private let later: RowStatement
    private let removal: RowStatement

    init(database: Database, space: StoredSpace) throws {
        self.space = space.id
        dimensions = space.space.dimensions
        first = try RowStatement(
            database,
            """
            INSERT INTO gateway_embeddings (space_id, note_id, content_hash, vector, passages, created_at)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE EXISTS (SELECT 1 FROM raw_notes WHERE id = ?2)
            ON CONFLICT (space_id, note_id) DO UPDATE SET content_hash = excluded.content_hash,
            vector = excluded.vector, passages = excluded.passages, created_at = excluded.created_at
            """)
        later = try RowStatement(
            database,
            """
            INSERT INTO gateway_passages (space_id, note_id, passage, vector)
            SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM raw_notes WHERE id = ?2)
            """)
        removal = try RowStatement(database, "DELETE FROM gateway_passages WHERE space_id = ? AND note_id = ?")
    }

    /// Stores a note's vectors, replacing its old ones; call ``check(_:dimensions:)`` first. Skips a deleted note. A
    /// note edited meanwhile is pending again, since the hash identifies the embedded text.
    func store(_ row: EmbeddingRow) throws {
        try removal.bind(space, at: 1)
        try removal.bind(row.noteID, at: 2)
        try removal.run()
        try first.bind(space, at: 1)
        try first.bind(row.noteID, at: 2)
        try first.bind(row.contentHash, at: 3)
        try first.bind(VectorBlob.encode(row.vectors.prefix(dimensions)), at: 4)
        try first.bind(Int64(row.passages), at: 5)
        try first.bind(now, at: 6)
        try first.run()
        for passage in stride(from: 1, to: row.passages, by: 1) {
            try later.bind(space, at: 1)
            try later.bind(row.noteID, at: 2)
            try later.bind(Int64(passage), at: 3)
            try later.bind(VectorBlob.encode(row.vectors[passage * dimensions..<(passage + 1) * dimensions]), at: 4)
            try later.run()
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
