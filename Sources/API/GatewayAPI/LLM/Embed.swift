/// The body of `POST /api/llm/embed`: exactly one of `text` and `texts`.
public struct EmbedRequest: Codable, Sendable, Hashable {
    /// One text to embed.
    public var text: String?
    /// Several texts, answered in the same order.
    public var texts: [String]?
    /// An embedding model; the gateway's `SELENE_EMBED_MODEL` when absent.
    public var model: String?
    /// The purpose of the text, which selects the model's prefix; absent embeds the text without a prefix.
    public var kind: Kind?

    /// The two sides of retrieval, for which many models need different prefixes.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        case query
        case document
    }

    /// Creates a request for one text.
    public init(text: String, model: String? = nil, kind: Kind? = nil) {
        self.text = text
        self.model = model
        self.kind = kind
    }

    /// Creates a request for several texts.
    public init(texts: [String], model: String? = nil, kind: Kind? = nil) {
        self.texts = texts
        self.model = model
        self.kind = kind
    }
}

/// The reply of `POST /api/llm/embed`: `embedding` for `text`, `embeddings` for `texts`.
public struct EmbedResponse: Codable, Sendable, Hashable {
    /// The vector of `text`.
    public var embedding: [Float]?
    /// The vectors of `texts`, in their order.
    public var embeddings: [[Float]]?
    /// The model that answered.
    public var model: String
    /// The length of every vector.
    public var dimensions: Int

    /// Creates a reply.
    public init(embedding: [Float]? = nil, embeddings: [[Float]]? = nil, model: String, dimensions: Int) {
        self.embedding = embedding
        self.embeddings = embeddings
        self.model = model
        self.dimensions = dimensions
    }
}
