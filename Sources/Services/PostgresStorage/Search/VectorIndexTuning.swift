import Foundation
import Retrieval
import Storage

/// The index of a space's vectors: built, measured, used when its recall is high enough.
package struct VectorIndexTuning: Sendable {
    /// A measured setting of an index.
    package struct Measurement: Sendable, Hashable {
        package var kind: VectorIndexPlan.Kind
        /// `hnsw.ef_search`, or `ivfflat.probes`.
        package var search: Int
        package var recallAt10: Double
        package var median: Duration
    }

    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// Builds the index of the active space unless it exists, measures it on stored vectors, and stores the fastest
    /// setting that finds ``VectorIndexPlan/leastRecall`` of the ten nearest notes. If none does, every vector is compared.
    ///
    /// - Parameters:
    ///   - sample: The number of stored vectors that serve as queries.
    ///   - progress: Called before each step.
    /// - Throws: ``PostgresError``; `invalid` when there is nothing to measure.
    package func tune(
        _ kind: VectorIndexPlan.Kind, _ elements: VectorIndexPlan.Elements, sample: Int,
        progress: (String) -> Void
    ) async throws -> [Measurement] {
        guard let space = try await store.spaces.active() else {
            throw PostgresError(.invalid, "there are no vectors to measure; run `selene backfill`")
        }
        let queries = try await sampleOf(space, sample)
        guard queries.count >= 10 else {
            throw PostgresError(.invalid, "there are too few vectors to measure an index")
        }
        progress("building the \(kind.rawValue) index")
        try await build(kind, elements, of: space)
        progress("exact")
        let exact = try await measure(queries, space, elements, nil)
        let truth = exact.found.map { $0.prefix(10) }
        var measurements: [Measurement] = []
        var chosen: Measurement?
        for search in VectorIndexPlan.searches(kind) {
            progress("\(kind.rawValue) \(search)")
            let run = try await measure(
                queries, space, elements, VectorIndexPlan(kind: kind, search: search, recall: 1))
            var (hits, all) = (0, 0)
            for (found, wanted) in zip(run.found, truth) {
                let ids = Set(found)
                hits += wanted.count { ids.contains($0) }
                all += wanted.count
            }
            let measurement = Measurement(
                kind: kind, search: search, recallAt10: Double(hits) / Double(max(1, all)), median: run.median)
            measurements.append(measurement)
            if measurement.recallAt10 >= VectorIndexPlan.leastRecall {
                chosen = measurement
                break
            }
        }
        let (best, speedup) = (
            chosen, chosen.map { (exact.median / .microseconds(1)) / max(1, $0.median / .microseconds(1)) }
        )
        _ = try await store.write { connection in
            try await connection.run(
                "INSERT INTO meta VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [.text("index_elements:\(space.id)"), .text(elements.rawValue)])
            try await connection.run(
                """
                UPDATE spaces SET index_kind = $2, index_search = $3, index_recall = $4::float8, index_sample = $5,
                    index_speedup = $6::float8, measured_at = $7 WHERE id = $1
                """,
                [
                    .integer(space.id), PostgresValue(best?.kind.rawValue),
                    PostgresValue(best.map { Int64($0.search) }),
                    best.map { .double($0.recallAt10) } ?? .null, .integer(Int64(queries.count)),
                    speedup.map { .double($0) } ?? .null, .integer(Int64(Date.now.timeIntervalSince1970)),
                ])
        }
        return measurements
    }

    private func sampleOf(_ space: StoredSpace, _ count: Int) async throws -> [[Float]] {
        // Evenly spread over the notes, the same at each run.
        let rows = try await store.rows(
            """
            SELECT v.embedding FROM (SELECT note_id, row_number() OVER (ORDER BY note_id) AS place, count(*) OVER () AS n
                FROM embeddings WHERE space_id = $1) e
            JOIN vectors v ON v.space_id = $1 AND v.note_id = e.note_id AND v.passage = 0
            WHERE e.place % greatest(1, e.n / $2) = 0 LIMIT $2
            """, [.integer(space.id), .integer(Int64(count))])
        return rows.indices.compactMap { rows.vector($0, 0) }
    }

    private func build(
        _ kind: VectorIndexPlan.Kind, _ elements: VectorIndexPlan.Elements, of space: StoredSpace
    ) async throws {
        let dimensions = space.space.dimensions
        guard dimensions <= elements.maxDimensions else {
            throw PostgresError(
                .invalid,
                "pgvector indexes \(elements.rawValue) of at most \(elements.maxDimensions) dimensions, the space has \(dimensions)"
            )
        }
        let name = VectorIndexPlan.name(of: space.id)
        let operators = "\(elements.rawValue)_cosine_ops"
        let lists = max(1, min(10_000, try await store.spaces.embeddingCount(in: space.id) / 1000))
        let options = kind == .ivfflat ? " WITH (lists = \(lists))" : ""
        let definition =
            "USING \(kind.rawValue) (\(VectorIndexPlan.expression(elements, dimensions)) \(operators))\(options)"
        try await store.prepare()
        let known = try await store.rows(
            """
            SELECT indexdef FROM pg_indexes WHERE schemaname = 'selene' AND indexname = $1
                AND EXISTS (SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                    WHERE c.relname = $1 AND c.relnamespace = 'selene'::regnamespace AND i.indisvalid)
            """, [.text(name)])
        if let text = known.text(0, 0), text.contains(" \(kind.rawValue) "), text.contains(operators) { return }
        try await store.pool.lend { connection in
            // CONCURRENTLY lets others write meanwhile; it cannot run in a transaction.
            let hours = Duration.seconds(12 * 3600)
            try await connection.script("SET statement_timeout = 0; SET lock_timeout = 0", timeout: hours)
            do {
                try await connection.script("DROP INDEX CONCURRENTLY IF EXISTS selene.\(name)", timeout: hours)
                try await connection.script(
                    "CREATE INDEX CONCURRENTLY \(name) ON selene.vectors \(definition) WHERE space_id = \(space.id)",
                    timeout: hours)
                try await connection.script("RESET statement_timeout; RESET lock_timeout")
            } catch {
                _ = await Task { try? await connection.script("RESET statement_timeout; RESET lock_timeout") }.value
                throw error
            }
        }
    }

    private func measure(
        _ queries: [[Float]], _ space: StoredSpace, _ elements: VectorIndexPlan.Elements, _ plan: VectorIndexPlan?
    ) async throws -> (found: [[Int64]], median: Duration) {
        let leg = PostgresVectorLeg(store: store, space: space, plan: plan, elements: elements)
        var (found, times) = ([[Int64]](), [Duration]())
        for query in queries {
            let started = ContinuousClock.now
            found.append(try await leg.search(query, 10, .init(), plan).map(\.id))
            times.append(ContinuousClock.now - started)
        }
        return (found, times.sorted()[times.count / 2])
    }
}
