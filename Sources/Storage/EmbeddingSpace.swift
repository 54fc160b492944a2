/// What makes vectors comparable: all of it the same, or they never meet.
public struct EmbeddingSpace: Sendable, Hashable {
    /// The model's name in Ollama.
    public var model: String
    /// The model's digest: the same name with other weights is another space.
    public var digest: String
    /// The length of the vectors.
    public var dimensions: Int
    /// What stands before a query.
    public var queryPrefix: String
    /// What stands before a document.
    public var documentPrefix: String
    /// How long notes are cut; 0 embeds each note whole.
    public var chunkerVersion: Int

    /// Creates a space.
    public init(
        model: String, digest: String, dimensions: Int, queryPrefix: String, documentPrefix: String,
        chunkerVersion: Int = 0
    ) {
        self.model = model
        self.digest = digest
        self.dimensions = dimensions
        self.queryPrefix = queryPrefix
        self.documentPrefix = documentPrefix
        self.chunkerVersion = chunkerVersion
    }
}

/// The row of a space.
public typealias SpaceID = Int64

/// A space with its row.
public struct StoredSpace: Sendable, Hashable {
    /// The row.
    public var id: SpaceID
    /// The identity.
    public var space: EmbeddingSpace
}

/// A note whose vector is missing or stale.
public struct PendingNote: Sendable, Hashable {
    /// The note.
    public var id: Int64
    /// The text to embed, without the model's prefix.
    public var text: String
    /// The hash of that text.
    public var contentHash: [UInt8]

    /// Creates a pending note.
    public init(id: Int64, text: String, contentHash: [UInt8]) {
        self.id = id
        self.text = text
        self.contentHash = contentHash
    }
}

/// A vector to be stored.
public struct EmbeddingRow: Sendable, Hashable {
    /// The note.
    public var noteID: Int64
    /// The hash of the text that was embedded.
    public var contentHash: [UInt8]
    /// The vector, as the model gave it.
    public var vector: [Float]

    /// Creates a row.
    public init(noteID: Int64, contentHash: [UInt8], vector: [Float]) {
        self.noteID = noteID
        self.contentHash = contentHash
        self.vector = vector
    }
}
