import GRDB

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

extension StoredSpace {
    /// The space of a row; nil when the row cannot be one.
    init?(_ row: Row) {
        guard let id = row.integer("id"), let model = row.text("model"), (1...1 << 20).contains(row.count("dimensions"))
        else { return nil }
        self.init(
            id: id,
            space: EmbeddingSpace(
                model: model, digest: row.text("digest") ?? "", dimensions: row.count("dimensions"),
                queryPrefix: row.text("query_prefix") ?? "", documentPrefix: row.text("document_prefix") ?? "",
                chunkerVersion: row.count("chunker_version")))
    }

    /// The space that answers queries; nil before the first backfill.
    static func active(in database: Database) throws -> StoredSpace? {
        try Row.fetchOne(
            database,
            sql: """
                SELECT s.* FROM gateway_meta m JOIN gateway_spaces s ON s.id = CAST(m.value AS INTEGER)
                WHERE m.key = 'active_space'
                """
        ).flatMap { StoredSpace($0) }
    }
}
