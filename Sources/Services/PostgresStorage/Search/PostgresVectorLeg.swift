import Retrieval
import Storage

/// The vector leg over pgvector.
///
/// Without a measured index every vector is compared, in float32, as ``HybridIndex`` does. With one, its candidates are
/// compared in float32. A filter that leaves the index too few rows is answered by comparing every vector that passes.
struct PostgresVectorLeg {
    let store: PostgresStore
    let space: StoredSpace
    let plan: VectorIndexPlan?
    let elements: VectorIndexPlan.Elements

    /// Finds the documents whose passages are nearest to a vector.
    ///
    /// - Parameters:
    ///   - wanted: The number of documents; as many are found if as many pass the filter.
    ///   - isExact: Whether every vector must be compared.
    func nearest(
        _ vector: [Float], wanted: Int, filter: Filter, isExact: Bool
    ) async throws -> VectorLegAnswer {
        if let plan, !isExact {
            let hits = try await search(vector, wanted, filter, plan)
            if hits.count >= wanted || filter.isEmpty {
                return VectorLegAnswer(hits: hits, index: plan.kind.rawValue, recall: plan.recall)
            }
        }
        return VectorLegAnswer(hits: try await search(vector, wanted, filter, nil))
    }

    /// The nearest documents, best first, equal ones by id.
    func search(
        _ vector: [Float], _ wanted: Int, _ filter: Filter, _ plan: VectorIndexPlan?
    ) async throws -> [VectorLegAnswer.Hit] {
        // A long note has several rows, so more rows may be needed than documents.
        var rows = wanted + wanted / 4 + 1
        while true {
            let found = try await candidates(vector, rows, filter, plan)
            var (hits, seen) = ([VectorLegAnswer.Hit](), Set<Int64>())
            for hit in found where seen.insert(hit.id).inserted { hits.append(hit) }
            guard hits.count < wanted, found.count == rows, rows < 1 << 20 else {
                hits.sort { $0.score != $1.score ? $0.score > $1.score : $0.id < $1.id }
                return Array(hits.prefix(wanted))
            }
            rows *= 4
        }
    }

    private func candidates(
        _ vector: [Float], _ count: Int, _ filter: Filter, _ plan: VectorIndexPlan?
    ) async throws -> [VectorLegAnswer.Hit] {
        var conditions = FilterConditions(after: 2)
        conditions.add(filter)
        let dimensions = space.space.dimensions
        // The space's number and the dimensions are literals, since the partial index is chosen by them.
        let order: String
        if plan == nil {
            // No index has this expression.
            order = "(v.embedding <=> $1::vector(\(dimensions))) + 0"
        } else {
            let type = "\(elements.rawValue)(\(dimensions))"
            order = "(v.embedding::\(type)) <=> $1::vector(\(dimensions))::\(type)"
        }
        let inner = """
            SELECT v.note_id, v.passage, v.embedding, n.created FROM vectors v JOIN notes n ON n.id = v.note_id
            WHERE v.space_id = \(space.id) AND NOT n.hidden AND \(conditions.sql) ORDER BY \(order) LIMIT $2
            """
        let sql = """
            SELECT note_id, passage, created, 1 - (embedding <=> $1::vector(\(dimensions))) AS score
            FROM (\(inner)) AS c ORDER BY score DESC, note_id, passage
            """
        let values = [.vector(vector), .integer(Int64(count))] + conditions.values
        let rows = try await store.read { connection in
            guard let plan else { return try await connection.run(sql, values) }
            // For this transaction only.
            let setting =
                plan.kind == .hnsw
                ? "SET LOCAL hnsw.ef_search = \(min(1000, max(plan.search, count))); SET LOCAL hnsw.iterative_scan = strict_order"
                : "SET LOCAL ivfflat.probes = \(plan.search); SET LOCAL ivfflat.iterative_scan = relaxed_order"
            try await connection.script("BEGIN READ ONLY; \(setting); SET LOCAL enable_seqscan = off")
            do {
                let rows = try await connection.run(sql, values)
                try await connection.script("COMMIT")
                return rows
            } catch {
                // The pool drops the connection if this fails.
                _ = await Task { try? await connection.script("ROLLBACK") }.value
                throw error
            }
        }
        return rows.indices.compactMap { row in
            guard let id = rows.integer(row, 0), let score = rows.double(row, 3), score.isFinite else { return nil }
            return VectorLegAnswer.Hit(
                id: id, passage: Int(rows.integer(row, 1) ?? 0), createdAt: rows.integer(row, 2) ?? 0, score: score)
        }
    }
}
