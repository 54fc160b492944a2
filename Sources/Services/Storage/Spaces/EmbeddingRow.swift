/// The vectors of a note, to be stored: one for each of its passages.
public struct EmbeddingRow: Sendable, Hashable {
    /// The note.
    public var noteID: Int64
    /// The hash of the text that was embedded.
    public var contentHash: [UInt8]
    /// Passage after passage, as the model gave them: `passages` times the space's dimensions.
    public var vectors: [Float]
    /// How many passages there are, at least 1.
    public var passages: Int

    /// Creates a row.
    public init(noteID: Int64, contentHash: [UInt8], vectors: [Float], passages: Int) {
        self.noteID = noteID
        self.contentHash = contentHash
        self.vectors = vectors
        self.passages = passages
    }

    /// Creates the row of a note that is one passage.
    public init(noteID: Int64, contentHash: [UInt8], vector: [Float]) {
        self.init(noteID: noteID, contentHash: contentHash, vectors: vector, passages: 1)
    }
}
