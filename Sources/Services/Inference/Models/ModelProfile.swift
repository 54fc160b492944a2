/// What a text that is embedded is for.
public enum EmbeddingKind: Sendable, Hashable, CaseIterable {
    /// The text that is sought for.
    case query
    /// The text that is found.
    case document
}

/// The prefixes that an embedding model was trained with; without them its vectors are worse.
///
/// They are part of the identity of an embedding space: a vector made with another prefix belongs to another space.
public struct ModelProfile: Sendable, Hashable {
    /// Stands before a query.
    public var queryPrefix: String
    /// Stands before a document.
    public var documentPrefix: String

    /// Creates a profile of one's own.
    public init(queryPrefix: String, documentPrefix: String) {
        self.queryPrefix = queryPrefix
        self.documentPrefix = documentPrefix
    }

    /// The profile of a model, known by its name without namespace and tag; an unknown model has no prefixes.
    public init(model: String) {
        let name = model.split(separator: "/").last ?? ""
        let family = name.prefix { $0 != ":" }.lowercased()
        self = Self.known.first { family.hasPrefix($0.family) }?.profile ?? .init(queryPrefix: "", documentPrefix: "")
    }

    /// The text as the model wants it.
    public func prepared(_ text: String, kind: EmbeddingKind) -> String {
        switch kind {
        case .query: queryPrefix + text
        case .document: documentPrefix + text
        }
    }

    /// From the models' cards. Longer names stand before those that they begin with.
    private static let known: [(family: String, profile: ModelProfile)] = [
        ("nomic-embed-text", .init(queryPrefix: "search_query: ", documentPrefix: "search_document: ")),
        ("bge-m3", .init(queryPrefix: "", documentPrefix: "")),
        (
            "bge-",
            .init(
                queryPrefix: "Represent this sentence for searching relevant passages: ", documentPrefix: "")
        ),
        (
            "mxbai-embed-large",
            .init(
                queryPrefix: "Represent this sentence for searching relevant passages: ", documentPrefix: "")
        ),
        ("snowflake-arctic-embed2", .init(queryPrefix: "query: ", documentPrefix: "")),
        (
            "snowflake-arctic-embed",
            .init(
                queryPrefix: "Represent this sentence for searching relevant passages: ", documentPrefix: "")
        ),
        (
            "embeddinggemma",
            .init(queryPrefix: "task: search result | query: ", documentPrefix: "title: none | text: ")
        ),
        (
            "qwen3-embedding",
            .init(
                queryPrefix:
                    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:",
                documentPrefix: "")
        ),
        ("multilingual-e5", .init(queryPrefix: "query: ", documentPrefix: "passage: ")),
        ("e5-", .init(queryPrefix: "query: ", documentPrefix: "passage: ")),
    ]
}
