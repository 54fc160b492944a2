import Foundation
package import Storage

/// What the tables of a database hold for searches, and how vectors are searched.
package struct VectorIndexFigures: Sendable, Hashable {
    /// The space that answers queries; nil before the first backfill.
    package var space: StoredSpace?
    package var notes = 0
    /// Notes with vectors in the space.
    package var embedded = 0
    package var vectors = 0
    /// Bytes of the vectors, those of other spaces included.
    package var vectorBytes = 0
    /// Bytes of the space's index; 0 without one.
    package var indexBytes = 0
    /// Bytes of the words with their index.
    package var wordBytes = 0
    /// The index that answers; nil when every vector is compared.
    package var plan: VectorIndexPlan?
    /// The number of queries that measured ``plan``.
    package var sample = 0
    /// The speed of ``plan`` relative to comparing every vector.
    package var speedup = 1.0
    /// When it was measured, in seconds since 1970.
    package var measuredAt: Int64 = 0
    /// Such as "PostgreSQL 18.6".
    package var server = ""
    /// Such as "pgvector 0.8.6".
    package var extensionName = ""
}

extension PostgresSearch {
    /// Counts what searches use. Reads whole indexes, so not for every request.
    ///
    /// - Throws: ``PostgresError``.
    package func figures() async throws -> VectorIndexFigures {
        let view = try await view()
        var figures = VectorIndexFigures(space: view.space, plan: view.index)
        figures.notes = try await store.notes.count()
        let rows = try await store.rows(
            """
            SELECT pg_table_size('selene.vectors'), pg_total_relation_size('selene.note_words')
                + pg_total_relation_size('selene.vocabulary'), current_setting('server_version'),
                (SELECT extversion FROM pg_extension WHERE extname = 'vector')
            """)
        func count(_ rows: PostgresRows, _ column: Int) -> Int { Int(clamping: rows.integer(0, column) ?? 0) }
        (figures.vectorBytes, figures.wordBytes) = (count(rows, 0), count(rows, 1))
        let version = (rows.text(0, 2) ?? "").prefix { !$0.isWhitespace }
        (figures.server, figures.extensionName) = ("PostgreSQL \(version)", "pgvector \(rows.text(0, 3) ?? "")")
        guard let space = view.space else { return figures }
        figures.embedded = try await store.spaces.embeddingCount(in: space.id)
        let rest = try await store.rows(
            """
            SELECT (SELECT count(*) FROM vectors WHERE space_id = $1),
                coalesce(pg_relation_size(to_regclass($2::text)), 0), index_sample, index_speedup, measured_at
            FROM spaces WHERE id = $1
            """, [.integer(space.id), .text("selene.\(VectorIndexPlan.name(of: space.id))")])
        (figures.vectors, figures.indexBytes, figures.sample) = (count(rest, 0), count(rest, 1), count(rest, 2))
        figures.speedup = rest.double(0, 3) ?? 1
        figures.measuredAt = rest.integer(0, 4) ?? 0
        return figures
    }
}
