/// The vectors of a note to store, one per passage.
package struct EmbeddingRow: Sendable, Hashable {
    package var noteID: Int64
    /// The hash of the embedded text.
    package var contentHash: [UInt8]
    /// The vectors in passage order: `passages` times the space's dimensions.
    package var vectors: [Float]
    /// The number of passages, at least 1.
    package var passages: Int

    package init(noteID: Int64, contentHash: [UInt8], vectors: [Float], passages: Int) {
        self.noteID = noteID
        self.contentHash = contentHash
        self.vectors = vectors
        self.passages = passages
    }

    /// Creates the row of a note with one passage.
    package init(noteID: Int64, contentHash: [UInt8], vector: [Float]) {
        self.init(noteID: noteID, contentHash: contentHash, vectors: vector, passages: 1)
    }
}
