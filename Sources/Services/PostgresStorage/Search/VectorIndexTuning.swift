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

    /// How far a step is.
    package struct Progress: Sendable, Hashable {
        package enum Step: String, Sendable, Hashable {
            /// Blocks of the table, as the server reports them.
            case build
            /// Vectors that are compared with the queries.
            case exact
            /// Queries that are timed.
            case queries
        }

        package var step: Step
        /// The server's name of its phase, or the setting that is measured.
        package var detail: String
        package var done: Int
        /// 0 when the end is not known.
        package var total: Int
    }

    /// The memory of a build, in bytes.
    package struct Memory: Sendable, Hashable {
        /// An estimate of what an HNSW index takes while it is built; nil for other kinds, which need little.
        package var needed: Int?
        /// What the server grants a build: its `maintenance_work_mem`.
        package var granted: Int
    }

    private let store: PostgresStore

    private let choice: VectorIndexPlan.Choice

    /// - Parameter choice: The index to build; nil for the store's own.
    package init(_ store: PostgresStore, _ choice: VectorIndexPlan.Choice? = nil) {
        self.store = store
        self.choice = choice ?? store.index
    }

    /// The memory that an index of the active space takes while it is built.
    ///
    /// A graph beyond it is finished on the disk, which takes many times as long.
    ///
    /// - Parameter granted: In bytes; nil for the server's own setting.
    package func memory(granted: Int?) async throws -> Memory {
        let rows = try await store.rows(
            "SELECT setting::bigint * 1024 FROM pg_settings WHERE name = 'maintenance_work_mem'")
        var memory = Memory(needed: nil, granted: granted ?? Int(clamping: rows.integer(0, 0) ?? 0))
        guard choice.kind == .hnsw, let space = try await store.spaces.active() else { return memory }
        let bytes = choice.elements.bytes * space.space.dimensions + Self.nodeBytes
        memory.needed = try await store.spaces.embeddingCount(in: space.id)
            .multipliedReportingOverflow(by: bytes).partialValue
        return memory
    }

    /// Builds the index of the active space unless it exists, measures it on stored vectors, and stores the fastest
    /// setting that finds ``VectorIndexPlan/leastRecall`` of the ten nearest notes. If none does, every vector is compared.
    ///
    /// - Parameters:
    ///   - sample: The number of stored vectors that serve as queries.
    ///   - memory: The `maintenance_work_mem` of the build, in bytes; nil for the server's own.
    ///   - progress: Called once a second while the index is built, then for each query.
    /// - Throws: ``PostgresError``; `invalid` when there is nothing to measure.
    package func tune(
        sample: Int, memory: Int? = nil, progress: @escaping @Sendable (Progress) async -> Void
    ) async throws -> [Measurement] {
        let (kind, elements) = (choice.kind, choice.elements)
        guard let space = try await store.spaces.active() else {
            throw PostgresError(.invalid, "there are no vectors to measure; run `selene backfill`")
        }
        let queries = try await sampleOf(space, sample)
        guard queries.count >= 10 else {
            throw PostgresError(.invalid, "there are too few vectors to measure an index")
        }
        try await build(kind, elements, of: space, memory, progress)
        let truth = try await nearest(to: queries, in: space, progress)
        let exact = try await measure(Array(queries.prefix(Self.mostExact)), space, elements, nil, progress)
        var measurements: [Measurement] = []
        var chosen: Measurement?
        for search in VectorIndexPlan.searches(kind) {
            let run = try await measure(
                queries, space, elements, VectorIndexPlan(kind: kind, search: search, recall: 1), progress)
            var (hits, all) = (0, 0)
            for (found, wanted) in zip(run.found, truth) {
                hits += Self.hits(found, wanted)
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

    /// The queries whose exact search is timed.
    private static let mostExact = 20
    /// The vectors that are read at a time.
    private static let chunk = 4096
    /// Two computations of one cosine in 32 bits differ by less.
    private static let tolerance = 1e-5

    /// The number of true nearest notes that were found. One that is as near as the last of them counts as one of them.
    static func hits(_ found: [VectorLegAnswer.Hit], _ truth: [StreamingNearest.Hit]) -> Int {
        guard let last = truth.last else { return 0 }
        let ids = Set(truth.map(\.id))
        return min(truth.count, found.count { ids.contains($0.id) || $0.score >= Double(last.score) - tolerance })
    }

    /// Finds the ten nearest notes of each query by one pass over all vectors.
    func nearest(
        to queries: [[Float]], in space: StoredSpace, _ progress: @Sendable (Progress) async -> Void
    ) async throws -> [[StreamingNearest.Hit]] {
        let total = Int(
            clamping: try await store.rows("SELECT count(*) FROM vectors WHERE space_id = $1", [.integer(space.id)])
                .integer(0, 0) ?? 0)
        var nearest = StreamingNearest(queries: queries, dimensions: space.space.dimensions, wanted: 10)
        var (done, last) = (0, (note: Int64.min, passage: Int64.min))
        while true {
            try Task.checkCancellation()
            let rows = try await store.rows(
                """
                SELECT v.note_id, v.passage::bigint, v.embedding, n.hidden FROM vectors v JOIN notes n ON n.id = v.note_id
                WHERE v.space_id = $1 AND (v.note_id, v.passage) > ($2, $3) ORDER BY v.note_id, v.passage LIMIT $4
                """, [.integer(space.id), .integer(last.note), .integer(last.passage), .integer(Int64(Self.chunk))])
            guard let note = rows.integer(rows.count - 1, 0), let passage = rows.integer(rows.count - 1, 1) else {
                return nearest.finish()
            }
            last = (note, passage)
            nearest.add(
                rows.indices.compactMap { row in
                    guard let id = rows.integer(row, 0), let vector = rows.vector(row, 2), rows.bool(row, 3) == false
                    else { return nil }
                    return (id, vector)
                })
            done += rows.count
            await progress(Progress(step: .exact, detail: "every vector", done: done, total: max(total, done)))
        }
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

    /// The bytes of a node of a graph under construction beside its vector: 16 links, twice as many on the lowest level.
    private static let nodeBytes = 900

    private func build(
        _ kind: VectorIndexPlan.Kind, _ elements: VectorIndexPlan.Elements, of space: StoredSpace, _ memory: Int?,
        _ progress: @escaping @Sendable (Progress) async -> Void
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
        let creation = "CREATE INDEX CONCURRENTLY \(name) ON selene.vectors \(definition) WHERE space_id = \(space.id)"
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await create(name, creation, memory) }
            group.addTask { await watch(progress) }
            // The watch ends only when it is cancelled.
            try await group.next()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    private func create(_ name: String, _ creation: String, _ memory: Int?) async throws {
        try await store.pool.lend { connection in
            // CONCURRENTLY lets others write meanwhile; it cannot run in a transaction.
            let hours = Duration.seconds(12 * 3600)
            let reset = "RESET statement_timeout; RESET lock_timeout; RESET maintenance_work_mem"
            try await connection.script("SET statement_timeout = 0; SET lock_timeout = 0", timeout: hours)
            do {
                if let memory { try await connection.script("SET maintenance_work_mem = '\(memory / 1024)kB'") }
                try await connection.script("DROP INDEX CONCURRENTLY IF EXISTS selene.\(name)", timeout: hours)
                try await connection.script(creation, timeout: hours)
                try await connection.script(reset)
            } catch {
                _ = await Task { try? await connection.script(reset) }.value
                throw error
            }
        }
    }

    /// Reports a build that runs, until this task is cancelled.
    private func watch(_ progress: @Sendable (Progress) async -> Void) async {
        let sql = """
            SELECT phase, CASE WHEN blocks_total > 0 THEN blocks_done ELSE tuples_done END,
                CASE WHEN blocks_total > 0 THEN blocks_total ELSE tuples_total END
            FROM pg_stat_progress_create_index
            WHERE datname = current_database() AND relid = 'selene.vectors'::regclass LIMIT 1
            """
        while !Task.isCancelled {
            // A server that cannot say it builds all the same.
            if let rows = try? await store.rows(sql), let phase = rows.text(0, 0) {
                await progress(
                    Progress(
                        step: .build, detail: phase, done: Int(clamping: rows.integer(0, 1) ?? 0),
                        total: Int(clamping: rows.integer(0, 2) ?? 0)))
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    private func measure(
        _ queries: [[Float]], _ space: StoredSpace, _ elements: VectorIndexPlan.Elements, _ plan: VectorIndexPlan?,
        _ progress: @Sendable (Progress) async -> Void
    ) async throws -> (found: [[VectorLegAnswer.Hit]], median: Duration) {
        let leg = PostgresVectorLeg(store: store, space: space, plan: plan, elements: elements)
        let detail = plan.map { "\($0.kind.rawValue) \($0.search)" } ?? "exact search"
        var (found, times) = ([[VectorLegAnswer.Hit]](), [Duration]())
        for query in queries {
            let started = ContinuousClock.now
            found.append(try await leg.search(query, 10, .init(), plan))
            times.append(ContinuousClock.now - started)
            await progress(Progress(step: .queries, detail: detail, done: times.count, total: queries.count))
        }
        return (found, times.sorted()[times.count / 2])
    }
}
