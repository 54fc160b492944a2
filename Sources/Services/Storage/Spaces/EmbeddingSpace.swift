import GRDB

/// The properties that make vectors comparable. Vectors are compared only if all properties are equal.
package struct EmbeddingSpace: Sendable, Hashable {
    /// The model's name in Ollama.
    package var model: String
    /// The model's digest: the same name with other weights is a different space.
    package var digest: String
    /// The length of the vectors.
    package var dimensions: Int
    package var queryPrefix: String
    package var documentPrefix: String
    /// The version of the chunker, which splits long notes; 0 embeds each note whole.
    package var chunkerVersion: Int

    package init(
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

/// The row id of a space.
package typealias SpaceID = Int64

/// A space with its row id.
package struct StoredSpace: Sendable, Hashable {
    /// The row id.
    package var id: SpaceID
    /// The space's properties.
    package var space: EmbeddingSpace

    package init(id: SpaceID, space: EmbeddingSpace) {
        self.id = id
        self.space = space
    }
}

extension StoredSpace {
    /// Reads a row; nil when it is not a valid space.
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

    /// Reads the space that answers queries.
    static let activeSQL = """
        SELECT s.id, s.model, s.digest, s.dimensions, s.query_prefix, s.document_prefix, s.chunker_version
        FROM gateway_meta m JOIN gateway_spaces s ON s.id = CAST(m.value AS INTEGER) WHERE m.key = 'active_space'
        """

    /// Returns the space that answers queries; nil before the first backfill.
    static func active(in database: Database) throws -> StoredSpace? {
        try database.compiledRow(activeSQL).flatMap { StoredSpace($0) }
    }
}
