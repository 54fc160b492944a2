import Text

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

    /// Creates a space with its row.
    public init(id: SpaceID, space: EmbeddingSpace) {
        self.id = id
        self.space = space
    }
}

/// A note whose vectors are missing or stale.
public struct PendingNote: Sendable, Hashable {
    /// The note.
    public var id: Int64
    /// The title; may be empty.
    public var title: String
    /// The content; may be empty.
    public var content: String
    /// The hash of ``text``, 32 bytes.
    public var contentHash: [UInt8]

    /// Creates a pending note.
    public init(id: Int64, title: String, content: String, contentHash: [UInt8]) {
        self.id = id
        self.title = title
        self.content = content
        self.contentHash = contentHash
    }

    /// The whole text of the note as a model reads it, without the model's prefix.
    public var text: String { EmbeddedText.of(title: title, content: content) }
}

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
