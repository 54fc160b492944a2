package import Retrieval
import Storage

/// Near pairs of notes, as ``HybridIndex`` finds them in a file's index.
extension PostgresSearch {
    /// The notes of a block.
    private static let block = 50

    /// The number of notes with vectors in the space of a view.
    package func embeddedNotes(_ view: View) async throws -> Int {
        guard let space = view.space, view.hasVectors else { return 0 }
        let rows = try await store.rows("SELECT count(*) FROM embeddings WHERE space_id = $1", [.integer(space.id)])
        return Int(rows.integer(0, 0) ?? 0)
    }

    /// Finds the near pairs block by block: the neighbours of one note after another, by the measured index, or among all
    /// vectors where there is none.
    ///
    /// - Parameters:
    ///   - id: Notes up to this id are skipped as done; nil begins at the start.
    ///   - chosen: Only the neighbours of these notes are searched, among all; nil for those of all notes.
    ///   - body: Called with each block, in the order of the ids.
    /// - Throws: ``PostgresError``, `CancellationError`, the error that `body` throws.
    package func nearPairs(
        _ options: NearPairOptions, _ view: View, after id: Int64?, of chosen: Set<Int64>?,
        _ body: (NearPairBlock) async throws -> Void
    ) async throws {
        guard let space = view.space else { return }
        let leg = PostgresVectorLeg(store: store, space: space, plan: view.index, elements: view.elements)
        let ids = try await embedded(in: space).filter { chosen?.contains($0) ?? true }
        var done = id.map { id in ids.firstIndex { $0 > id } ?? ids.count } ?? 0
        while done < ids.count {
            try Task.checkCancellation()
            let block = Array(ids[done..<min(done + Self.block, ids.count)])
            var found: [Pair: Double] = [:]
            for (note, vectors) in try await vectors(of: block, in: space) {
                var near: [Int64: Double] = [:]
                for vector in vectors {
                    let answer = try await leg.nearest(
                        vector, wanted: options.neighbours + 1, filter: Filter(), isExact: false)
                    for hit in answer.hits where hit.id != note && hit.score >= Double(options.minSimilarity) {
                        near[hit.id] = max(near[hit.id] ?? -1, hit.score)
                    }
                }
                for (other, score) in near.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) })
                    .prefix(options.neighbours)
                {
                    let pair = Pair(first: min(note, other), second: max(note, other))
                    found[pair] = max(found[pair] ?? -1, score)
                }
            }
            done += block.count
            let pairs = found.map { pair, score in
                NearPair(first: pair.first, second: pair.second, similarity: Float(min(1, score)))
            }
            try await body(
                NearPairBlock(pairs: pairs, lastID: ids[done - 1], done: done, total: ids.count))
        }
    }

    private struct Pair: Hashable {
        var first: Int64
        var second: Int64
    }

    private func embedded(in space: StoredSpace) async throws -> [Int64] {
        let rows = try await store.rows(
            """
            SELECT e.note_id FROM embeddings e JOIN notes n ON n.id = e.note_id
            WHERE e.space_id = $1 AND NOT n.hidden ORDER BY e.note_id
            """, [.integer(space.id)])
        return rows.indices.compactMap { rows.integer($0, 0) }
    }

    private func vectors(of notes: [Int64], in space: StoredSpace) async throws -> [Int64: [[Float]]] {
        let rows = try await store.rows(
            "SELECT note_id, embedding FROM vectors WHERE space_id = $1 AND note_id = ANY ($2) ORDER BY note_id, passage",
            [.integer(space.id), .integers(notes)])
        var found: [Int64: [[Float]]] = [:]
        for row in rows.indices {
            if let id = rows.integer(row, 0), let vector = rows.vector(row, 1) { found[id, default: []].append(vector) }
        }
        return found
    }
}
