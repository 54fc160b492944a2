/// The role of an embedded text.
package enum EmbeddingKind: Sendable, Hashable, CaseIterable {
    /// A text to search with.
    case query
    /// A text to search in.
    case document
}

/// The prefixes that an embedding model was trained with; without them its vectors are worse.
///
/// Prefixes are part of the identity of an embedding space: vectors with different prefixes belong to different spaces.
package struct ModelProfile: Sendable, Hashable {
    package var queryPrefix: String
    package var documentPrefix: String

    package init(queryPrefix: String, documentPrefix: String) {
        self.queryPrefix = queryPrefix
        self.documentPrefix = documentPrefix
    }

    /// Creates the known profile of a model, by its name without namespace and tag. An unknown model has no prefixes.
    package init(model: String) {
        let name = model.split(separator: "/").last ?? ""
        let family = name.prefix { $0 != ":" }.lowercased()
        self = Self.known.first { family.hasPrefix($0.family) }?.profile ?? .init(queryPrefix: "", documentPrefix: "")
    }

    /// Returns the text with the model's prefix.
    package func prepared(_ text: String, kind: EmbeddingKind) -> String {
        switch kind {
        case .query: queryPrefix + text
        case .document: documentPrefix + text
        }
    }

    /// Prefixes from the models' cards. A name precedes its own prefixes in this list.
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
